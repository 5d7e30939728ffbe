// The parser of event streams: the same frames wherever the bytes are cut.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Parser } from "./goatherd.mjs";

const STREAM = [
  "retry: 1500",
  ": a comment: with a colon",
  "",
  "id: a1-1",
  "event: started",
  'data: {"stage":"started"}',
  "",
  "id:a1-2",
  "event:token",
  'data:{"content":"héllo 🐐👩‍👩‍👧 \u2028 中文"}',
  "",
  "data: one",
  "data:  two",
  "data",
  "",
  "event: nothing to tell",
  "",
  "id: a\u0000b",
  "retry: soon",
  "unknown: field",
  "data:",
  "",
  "id: a1-9",
  "data: never ended",
];

const FRAMES = [
  { id: "a1-1", event: "started", data: '{"stage":"started"}' },
  { id: "a1-2", event: "token", data: '{"content":"héllo 🐐👩‍👩‍👧 \u2028 中文"}' },
  { id: null, event: "message", data: "one\n two\n" },
  { id: null, event: "message", data: "" },
];

const encode = (text) => new TextEncoder().encode(text);

function parse(pieces) {
  const parser = new Parser();
  return { frames: pieces.flatMap((piece) => parser.feed(piece)), retry: parser.retry };
}

for (const [name, end] of [["LF", "\n"], ["CRLF", "\r\n"], ["CR", "\r"]]) {
  const bytes = encode(STREAM.join(end));

  test(`lines that end in ${name} are read`, () => {
    assert.deepEqual(parse([bytes]), { frames: FRAMES, retry: 1500 });
  });

  test(`lines that end in ${name} may be cut at every byte`, () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      assert.deepEqual(parse([bytes.subarray(0, at), bytes.subarray(at)]), { frames: FRAMES, retry: 1500 });
    }
  });

  test(`lines that end in ${name} may come in pieces of any size`, () => {
    for (let size = 1; size < 40; size += 1) {
      const pieces = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      assert.deepEqual(parse(pieces), { frames: FRAMES, retry: 1500 });
    }
  });
}

test("line ends may be mixed", () => {
  const frames = [{ id: "1", event: "message", data: "a\nb" }, { id: null, event: "message", data: "c" }];
  assert.deepEqual(parse([encode("id: 1\rdata: a\r\ndata: b\n\rdata: c\r\n\r\n")]).frames, frames);
});

test("a byte order mark before the stream is no part of it", () => {
  const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, ...encode("data: x\n\n"));
  for (let at = 0; at <= bytes.length; at += 1) {
    const { frames } = parse([bytes.subarray(0, at), bytes.subarray(at)]);
    assert.deepEqual(frames, [{ id: null, event: "message", data: "x" }]);
  }
});

test("a frame is given out with its last byte, not with the next frame", () => {
  const parser = new Parser();
  assert.deepEqual(parser.feed(encode("data: x\r")), []);
  assert.deepEqual(parser.feed(encode("\r")), [{ id: null, event: "message", data: "x" }]);
  assert.deepEqual(parser.feed(encode("")), []);
  assert.deepEqual(parser.feed(encode("\ndata: y\r")), []);
  assert.deepEqual(parser.feed(encode("")), []);
  assert.deepEqual(parser.feed(encode("\ndata: z\n\n")), [{ id: null, event: "message", data: "y\nz" }]);
});
