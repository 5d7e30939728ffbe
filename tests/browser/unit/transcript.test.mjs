// The rules for the text: tokens append, a recovery replaces, a start voids, and attempts are never mixed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Transcript, backoff } from "./goatherd.mjs";

const started = (id, attempt) => ({ id, event: "started", data: { stage: "started", attempt } });
const token = (id, content, attempt) => ({ id, event: "token", data: { stage: "token", content, attempt } });
const recovery = (id, accumulated) => ({ id, event: "token_recovery", data: { accumulated } });

function after(...events) {
  const transcript = new Transcript();
  for (const event of events) transcript.apply(event);
  return transcript;
}

test("tokens append to the text", () => {
  assert.equal(after(started("a-1", 1), token("a-2", "Good ", 1), token("a-3", "day 🐐", 1)).text, "Good day 🐐");
});

test("a recovery replaces the text, and tokens go on from it", () => {
  const first = [started("a-1", 1), token("a-2", "Good ", 1)];
  assert.equal(after(...first, recovery("a-9", "Good day"), token("a-10", "!", 1)).text, "Good day!");
});

test("a start voids the text of the attempt before", () => {
  const first = [started("a-1", 1), token("a-2", "wrong", 1)];
  assert.equal(after(...first, started("a-3", 2), token("a-4", "right", 2)).text, "right");
});

test("a token of another attempt does not append to the text, even if its start was not told", () => {
  assert.equal(after(started("a-1", 1), token("a-2", "wrong", 1), token("a-4", "right", 2)).text, "right");
});

test("an end of another attempt voids the text, too", () => {
  const done = (attempt) => ({ id: "a-9", event: "done", data: { stage: "done", attempt } });
  const first = [started("a-1", 1), token("a-2", "wrong", 1)];
  assert.equal(after(...first, done(2)).text, "");
  assert.equal(after(...first, done(1)).text, "wrong");
  assert.equal(after(...first, done(0)).text, "wrong"); // the platform's word about the whole job
});

test("a token of an attempt that is over is left out", () => {
  assert.equal(after(started("a-1", 2), token("a-2", "right", 2), token("a-3", "wrong", 1)).text, "right");
});

test("a job that begins all over has its first attempt again", () => {
  const first = [started("a-1", 2), token("a-2", "old", 2)];
  assert.equal(after(...first, started("b-1", 1), token("b-2", "new", 1)).text, "new");
  assert.equal(after(...first, recovery("b-9", "ne"), token("b-10", "w", 2)).text, "new");
});

test("events about the text do not hide the stage", () => {
  const progress = { id: "a-2", event: "fetch", data: { stage: "fetch", progress: 30, attempt: 1 } };
  const transcript = after(started("a-1", 1), progress, token("a-3", "x", 1), recovery("a-4", "xy"));
  assert.deepEqual(transcript.last, progress);
  assert.equal(transcript.position, "a-4");
});

test("frames without an id do not move the position", () => {
  assert.equal(after(started("a-1", 1), { id: null, event: "fetch", data: { stage: "fetch" } }).position, "a-1");
});

test("one who comes late gets the stage and the text", () => {
  const transcript = after(started("a-1", 1), token("a-2", "so far", 1));
  assert.deepEqual(transcript.summary(), [
    { id: null, event: "started", data: { stage: "started", attempt: 1 } },
    { id: "a-2", event: "token_recovery", data: { accumulated: "so far", completed: false, attempt: 1 } },
  ]);
  const late = after(...transcript.summary(), token("a-3", ", so good", 1));
  assert.equal(late.text, "so far, so good");
  assert.equal(late.position, "a-3");
});

test("one who comes after the end gets the text and the end", () => {
  const done = { id: "a-3", event: "done", data: { stage: "done", result: 7 } };
  const transcript = after(started("a-1", 1), token("a-2", "all", 1), done);
  assert.deepEqual(transcript.summary().at(-1), done);
  const late = after(...transcript.summary());
  assert.deepEqual([late.text, late.position, late.ended], ["all", "a-3", true]);
});

test("one who comes before the first event gets nothing", () => {
  assert.deepEqual(new Transcript().summary(), []);
});

test("an event is new if it is later in this epoch, or of another one", () => {
  const transcript = after(started("a-9", 1));
  const told = ["a-8", "a-9", "a-10", "a-20", "b-1"].map((id) => transcript.lead(id));
  assert.deepEqual(told, [-1, 0, 1, 11, Infinity]);
  assert.equal(new Transcript().lead("a-1"), Infinity);
});

test("the wait doubles with each failure, is never longer than 45 s, and differs from one to another", () => {
  const middle = [0, 1, 2, 3, 4, 5, 50].map((failures) => backoff(failures, 2_000, () => 0.5));
  assert.deepEqual(middle, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(backoff(0, 2_000, () => 0), 1_000);
  assert.equal(backoff(9, 2_000, () => 1), 45_000);
});
