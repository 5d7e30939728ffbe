// A tab that shares the stream of another one, which is played here word for word.
import assert from "node:assert/strict";
import { test } from "node:test";

import { watch } from "./goatherd.mjs";

const PLACE = "http://goatherd.test/api/v1/chat/7/events";

const started = { id: null, event: "started", data: { stage: "started", attempt: 1 } };
const token = (seq, content) => ({ id: `a-${seq}`, event: "token", data: { content, attempt: 1 } });
const recovery = (seq, accumulated) => ({ id: `a-${seq}`, event: "token_recovery", data: { accumulated, attempt: 1 } });
const done = (seq) => ({ id: `a-${seq}`, event: "done", data: { stage: "done", attempt: 1 } });

const pretend = (request) => {
  const locks = request && { request };
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
};

/** Another tab has the lock, and `play` is how it leads: it is called with each question, and with a way to speak. */
async function follow(play) {
  pretend((_name, { signal }) => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  }));
  const leader = new BroadcastChannel(`goatherd true ${PLACE}`);
  const say = (message) => leader.postMessage({ state: "live", ...message });
  let questions = 0;
  leader.onmessage = ({ data: { ask } }) => { questions += 1; play({ ask, questions, say }); };
  const job = watch(`${PLACE}?token=secret`);
  const [events, states] = [[], []];
  job.onchange = () => { if (states.at(-1) !== job.state) states.push(job.state); };
  try {
    for await (const event of job) events.push(event);
  } finally {
    leader.close();
  }
  const gaps = events.filter(({ gap }) => gap).map(({ id }) => id);
  return { job, questions, gaps, states, ids: events.map(({ id }) => id) };
}

test("one who comes late gets the text so far and then each event", async () => {
  const { job, ids, gaps } = await follow(({ ask, say }) => {
    say({ to: ask, events: [started, recovery(5, "so far")] });
    say({ previous: "a-5", events: [token(6, ", so good")] });
    say({ previous: "a-6", events: [done(7)] });
  });
  assert.deepEqual([job.text, job.state, job.stage], ["so far, so good", "ended", "done"]);
  assert.deepEqual(ids, [null, "a-5", "a-6", "a-7"]);
  assert.deepEqual(gaps, []);
});

test("what is told before the answer is part of the answer", async () => {
  const { job, ids } = await follow(({ ask, questions, say }) => {
    if (questions > 1) return;
    say({ previous: "a-4", events: [token(5, "far")] });
    say({ to: ask, events: [started, recovery(5, "so far")] });
    say({ previous: "a-5", events: [done(6)] });
  });
  assert.equal(job.text, "so far");
  assert.deepEqual(ids, [null, "a-5", "a-6"]);
});

test("one who comes before the first event hears it", async () => {
  const { job, ids } = await follow(({ ask, say }) => {
    say({ to: ask, events: [] });
    say({ previous: null, events: [started, recovery(1, "")] });
    say({ previous: "a-1", events: [token(2, "Hi")] });
    say({ previous: "a-2", events: [done(3)] });
  });
  assert.equal(job.text, "Hi");
  assert.deepEqual(ids, [null, "a-1", "a-2", "a-3"]);
});

test("answers to others, and what another leader tells again, are left out", async () => {
  const { job, ids, questions } = await follow(({ ask, say }) => {
    say({ to: "somebody else", events: [started, recovery(4, "not mine")] });
    say({ to: ask, events: [started, recovery(5, "so")] });
    say({ to: "somebody else", events: [started, recovery(9, "not mine")] });
    say({ previous: "a-5", events: [token(6, " far")] });
    say({ previous: "a-4", events: [token(5, "so")] });
    say({ previous: "a-5", events: [token(6, " far")] });
    say({ previous: "a-6", events: [done(7)] });
  });
  assert.equal(job.text, "so far");
  assert.deepEqual(ids, [null, "a-5", "a-6", "a-7"]);
  assert.equal(questions, 1);
});

test("one who has lost the thread asks, and is told of the gap", async () => {
  const { job, ids, gaps, questions } = await follow(({ ask, questions: count, say }) => {
    if (count === 1) {
      say({ to: ask, events: [started, recovery(5, "so")] });
      say({ previous: "a-6", events: [token(7, ", so")] });
    } else {
      say({ to: ask, events: [started, recovery(8, "so far, so good")] });
      say({ previous: "a-8", events: [done(9)] });
    }
  });
  assert.equal(job.text, "so far, so good");
  assert.deepEqual(ids, [null, "a-5", null, "a-8", "a-9"]);
  assert.deepEqual([gaps, questions], [["a-8"], 2]);
});

test("how the connection stands is known to all", async () => {
  const { states } = await follow(({ ask, say }) => {
    say({ to: ask, state: "waiting", events: [started, recovery(1, "")] });
    say({ state: "connecting" });
    say({ state: "live" });
    say({ previous: "a-1", events: [done(2)] });
  });
  assert.deepEqual(states, ["waiting", "connecting", "live", "ended"]);
});

/** The page has the stream itself. */
async function followAlone() {
  const body = `id: a-1\nevent: done\ndata: ${JSON.stringify(done(1).data)}\n\n`;
  globalThis.fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const job = watch(PLACE);
  for await (const _ of job);
  return job.state;
}

test("where nobody may have the lock, each tab has a stream", async () => {
  pretend(() => Promise.reject(new DOMException("not in a sandbox", "SecurityError")));
  assert.equal(await followAlone(), "ended");
});

test("where there are no locks or no channels, each tab has a stream", async () => {
  pretend(undefined);
  assert.equal(await followAlone(), "ended");
  const channel = globalThis.BroadcastChannel;
  pretend(() => Promise.reject(new Error("nobody may ask")));
  globalThis.BroadcastChannel = undefined;
  assert.equal(await followAlone(), "ended");
  globalThis.BroadcastChannel = channel;
});

test("a tab that leads and is refused leaves the lead to others", async () => {
  let held = false;
  pretend(async (_name, _options, lead) => { held = true; await lead().finally(() => { held = false; }); });
  globalThis.fetch = async () => new Response("no", { status: 403 });
  const job = watch(PLACE);
  await new Promise((resolve) => { job.onchange = resolve; });
  assert.deepEqual([job.state, job.error.status, held], ["failed", 403, false]);
});
