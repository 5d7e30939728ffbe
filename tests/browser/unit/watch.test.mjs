// One watcher against answers that are given word for word: what it asks for, and what it makes of what it gets.
import assert from "node:assert/strict";
import { test } from "node:test";

import { WatchError, watch } from "./goatherd.mjs";

const URL = "http://goatherd.test/api/v1/chat/7/events";
const HELLO = "retry: 1\n: goatherd mode=resume pos=a-0\n\n";
const KEEPALIVE = 'event: keepalive\ndata: {"type":"keepalive"}\n\n';

const frame = (id, event, data) => `${id ? `id: ${id}\n` : ""}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const started = (id, attempt = 1) => frame(id, "started", { stage: "started", attempt });
const token = (id, content, attempt = 1) => frame(id, "token", { content, attempt });
const recovery = (id, accumulated) => frame(id, "token_recovery", { accumulated });
const done = (id) => frame(id, "done", { stage: "done", result: 1, attempt: 1 });
const reconnect = frame(null, "reconnect", { reason: "max_wait" });

/** A response that gives these words and then ends, breaks, or says no more until it is given up. */
function stream(words, then = "end") {
  return ({ signal }) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(HELLO + words));
        if (then === "end") controller.close();
        if (then === "silence") signal.addEventListener("abort", () => controller.error(signal.reason));
      },
      pull(controller) {
        // Only now, for an error would also take back the words that nobody has read.
        if (then === "break") controller.error(new TypeError("network error"));
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
  };
}

const answer = (status, headers = {}) => () => new Response(status === 204 ? null : "a reason", { status, headers });
const refused = () => { throw new TypeError("connection refused"); };

/** The answers that `watch` gets, one after the other, and the list of what it asked for. */
function script(...answers) {
  const asked = [];
  globalThis.fetch = async (url, { signal, headers }) => {
    const cursor = url.searchParams.get("last_event_id");
    asked.push({ cursor, token: headers.Authorization ?? null, at: performance.now() });
    const next = answers.shift();
    if (next === undefined) throw new Error("asked once too often");
    return next({ signal });
  };
  return asked;
}

async function follow(options = {}) {
  const job = watch(URL, { share: false, ...options });
  const [events, states] = [[], []];
  job.onchange = () => { if (states.at(-1) !== job.state) states.push(job.state); };
  try {
    for await (const event of job) events.push(event);
  } catch (error) {
    assert.equal(error, job.error);
  }
  return { job, events, states, names: events.map(({ event }) => event) };
}

const cursors = (asked) => asked.map(({ cursor }) => cursor);

test("a job is followed from its first event to its last", async () => {
  const asked = script(stream(started("a-1") + token("a-2", "Hi ") + token("a-3", "🐐") + done("a-4")));
  const { job, names } = await follow();
  assert.deepEqual(names, ["started", "token", "token", "done"]);
  assert.deepEqual([job.text, job.stage, job.state, job.error], ["Hi 🐐", "done", "ended", null]);
  assert.deepEqual(cursors(asked), [null]);
});

for (const then of ["end", "break"]) {
  test(`after a connection that came to its ${then}, it goes on where it was`, async () => {
    const first = stream(started("a-1") + token("a-2", "Hi "), then);
    const asked = script(first, refused, answer(502), stream(token("a-3", "🐐") + done("a-4")));
    const { job, names } = await follow();
    assert.deepEqual(names, ["started", "token", "token", "done"]);
    assert.equal(job.text, "Hi 🐐");
    assert.deepEqual(cursors(asked), [null, "a-2", "a-2", "a-2"]);
  });
}

test("a connection on which nothing is heard is given up", async () => {
  const asked = script(stream(started("a-1"), "silence"), stream(done("a-2")));
  await follow({ keepalive: 0.004 });
  assert.deepEqual(cursors(asked), [null, "a-1"]);
});

test("what was told before is not told again", async () => {
  script(stream(started("a-1") + token("a-2", "Hi")), stream(token("a-2", "Hi") + token("a-3", "!") + done("a-4")));
  const { job, names } = await follow();
  assert.equal(job.text, "Hi!");
  assert.deepEqual(names, ["started", "token", "token", "done"]);
});

test("a second attempt begins its text anew", async () => {
  const second = stream(started("a-3", 2) + token("a-4", "right", 2) + done("a-5"));
  script(stream(started("a-1") + token("a-2", "wrong")), second);
  assert.equal((await follow()).job.text, "right");
});

test("a snapshot after a lost connection is told as a gap, and its text is whole", async () => {
  const snapshot = frame(null, "answer", { stage: "answer" }) + recovery("a-90", "Hi there");
  script(stream(started("a-1") + token("a-2", "Hi")), stream(snapshot + done("a-91")));
  const { job, events } = await follow();
  assert.equal(job.text, "Hi there");
  assert.deepEqual(events.filter(({ gap }) => gap).map(({ id }) => id), ["a-90"]);
});

test("an end that does not follow on the last event is told as a gap", async () => {
  script(stream(started("a-1") + token("a-2", "Hi")), stream(done("a-9")));
  assert.deepEqual((await follow()).events.map(({ gap }) => gap), [undefined, undefined, true]);
});

test("tokens that were put together, and another epoch that goes on where the former was, are no gap", async () => {
  script(stream(started("a-1") + token("a-2", "Hi")), stream(token("a-9", " there") + done("b-10")));
  assert.deepEqual((await follow()).events.filter(({ gap }) => gap), []);
});

test("a text of another epoch is told as a gap", async () => {
  script(stream(started("a-1") + token("a-2", "Hi")), stream(recovery("b-3", "Hi there") + done("b-4")));
  assert.deepEqual((await follow()).events.filter(({ gap }) => gap).map(({ id }) => id), ["b-3"]);
});

test("the first snapshot is no gap", async () => {
  script(stream(frame(null, "answer", { stage: "answer" }) + recovery("a-90", "Hi") + done("a-91")));
  assert.deepEqual((await follow()).events.filter(({ gap }) => gap), []);
});

test("half a snapshot counts for nothing", async () => {
  const first = stream(started("a-1") + token("a-2", "Hi"));
  const half = stream(recovery(null, "Hi there, all of it"), "break");
  const asked = script(first, half, stream(token("a-3", " there") + done("a-4")));
  const { job, names } = await follow();
  assert.equal(job.text, "Hi there");
  assert.deepEqual(names, ["started", "token", "token", "done"]);
  assert.deepEqual(cursors(asked), [null, "a-2", "a-2"]);
});

test("204 is the end", async () => {
  const asked = script(stream(started("a-1")), answer(204));
  assert.equal((await follow()).job.state, "ended");
  assert.equal(asked.length, 2);
});

test("a job that failed has ended, too", async () => {
  const failed = { type: "error", stage: "error", status: "failed", error: "ValueError", attempt: 1 };
  script(stream(started("a-1") + frame("a-2", "error", failed)));
  const { job } = await follow();
  assert.deepEqual([job.state, job.last.event, job.last.data.error, job.error], ["ended", "error", "ValueError", null]);
});

test("an error without an id is not the end", async () => {
  const timeout = frame(null, "error", { type: "error", error: "timeout", message: "Max wait exceeded" });
  const asked = script(stream(started("a-1") + timeout), stream(done("a-2")));
  const { names, states } = await follow();
  assert.deepEqual(names, ["started", "done"]);
  assert.deepEqual(cursors(asked), [null, "a-1"]);
  assert.deepEqual(states, ["live", "connecting", "live", "ended"]);
});

test("sent away, it comes back at once; sent away again, it waits", async () => {
  script(stream(KEEPALIVE + reconnect), stream(reconnect), stream(done("a-1")));
  const { states } = await follow();
  assert.deepEqual(states, ["live", "connecting", "live", "waiting", "connecting", "live", "ended"]);
});

for (const status of [400, 401, 403, 404]) {
  test(`${status} is told and not tried again`, async () => {
    const asked = script(answer(status));
    const { job } = await follow({ token: "stale" });
    assert.equal(job.state, "failed");
    assert.ok(job.error instanceof WatchError);
    assert.equal(job.error.status, status);
    assert.equal(job.error.message, `${URL}: ${status} a reason`);
    assert.deepEqual(asked.map(({ token: each }) => each), ["Bearer stale"]);
  });
}

test("an answer that is no event stream is told and not tried again", async () => {
  script(() => new Response("<html>", { headers: { "content-type": "text/html" } }));
  assert.equal((await follow()).job.error.message, `${URL}: 200 <html>`);
});

for (const status of [401, 403]) {
  test(`a function is asked for another token after ${status}, once`, async () => {
    const tokens = ["one", "two", "three"];
    const asked = script(answer(status), stream(started("a-1")), answer(status), answer(status));
    const { job } = await follow({ token: async () => tokens.shift() });
    assert.deepEqual(asked.map(({ token: each }) => each), ["Bearer one", "Bearer two", "Bearer two", "Bearer three"]);
    assert.equal(job.error.status, status);
  });
}

test("a token that could not be had is tried for again", async () => {
  let calls = 0;
  script(stream(started("a-1") + reconnect), stream(done("a-2")));
  await follow({ token: () => { calls += 1; if (calls === 2) throw new TypeError("offline"); return "t"; } });
  assert.equal(calls, 3);
});

for (const status of [429, 503]) {
  test(`${status} is waited out for as long as it says`, async () => {
    const asked = script(stream(started("a-1")), answer(status, { "retry-after": "0.05" }), stream(done("a-2")));
    await follow();
    assert.ok(asked[2].at - asked[1].at >= 49);
  });
}

test("one may begin after an event that is known, or with the earliest", async () => {
  const asked = script(stream(started("a-1")), stream(done("a-2")));
  await follow({ after: "earliest" });
  assert.deepEqual(cursors(asked), ["earliest", "a-1"]);
});

test("who iterates late gets what stands for the events so far, then each one", async () => {
  let go;
  const gate = new Promise((resolve) => { go = resolve; });
  const second = stream(token("a-3", "!") + done("a-4"));
  script(stream(started("a-1") + token("a-2", "so far")), (request) => gate.then(() => second(request)));
  const job = watch(URL, { share: false });
  await new Promise((resolve) => { job.onchange = () => { if (job.text !== "") resolve(); }; });
  const told = [];
  const reading = (async () => { for await (const { id, event } of job) told.push([id, event]); })();
  go();
  await reading;
  assert.deepEqual(told, [[null, "started"], ["a-2", "token_recovery"], ["a-3", "token"], ["a-4", "done"]]);
  const after = [];
  for await (const { event } of job) after.push(event);
  assert.deepEqual(after, ["token_recovery", "done"]);
});

test("closed, it ends the connection and the iteration", async () => {
  let given;
  script(({ signal }) => { given = signal; return stream(started("a-1"), "silence")({ signal }); });
  const job = watch(URL, { share: false });
  for await (const _ of job) job.close();
  assert.equal(job.state, "closed");
  assert.equal(given.aborted, true);
});
