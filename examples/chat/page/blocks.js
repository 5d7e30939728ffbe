// @ts-check
/**
 * Markdown as a list of blocks: a small and forgiving part of it, which is what language models write.
 *
 * @typedef {{kind: "text" | "heading" | "rule" | "list" | "quote" | "table" | "code", source: string}} Block
 *   `source` is all that it was made of, so that two blocks with the same source look the same.
 */

const FENCE = /^ {0,3}(?:```|~~~)/;
export const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
/** Lines that begin something else than text; the first that fits tells what. @type {[Block["kind"], RegExp][]} */
const BEGINNINGS = [
  ["code", FENCE],
  ["heading", /^#{1,6}\s/],
  ["rule", /^ {0,3}([-*_])(?: *\1){2,}\s*$/],
  ["list", ITEM],
  ["quote", /^ {0,3}>/],
  ["table", /^ {0,3}\|/],
];

/** The blocks of a text, also of one that is not finished. @param {string} text @returns {Block[]} */
export function blocksOf(text) {
  /** @type {{kind: Block["kind"], lines: string[]}[]} */
  const blocks = [];
  /** The one that the next line may belong to. */
  let open = null;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (open?.kind === "code") {
      open.lines.push(line);
      if (closes(open.lines[0], line)) open = null;
      continue;
    }
    if (line.trim() === "") {
      // A list goes on after a blank line; nothing else does.
      if (open?.kind !== "list") open = null;
      else open.lines.push("");
      continue;
    }
    const kind = BEGINNINGS.find(([, begins]) => begins.test(line))?.[0] ?? "text";
    if (open !== null && goesOn(open, kind, line)) open.lines.push(line);
    else blocks.push((open = { kind, lines: [line] }));
    if (kind === "heading" || kind === "rule") open = null;
  }
  return blocks.map(({ kind, lines }) => ({ kind, source: lines.join("\n").replace(/\n+$/, "") }));
}

/** Whether a line belongs to the block above it. */
function goesOn({ kind: above, lines }, kind, line) {
  if (above === kind) return true;
  // What is indented under an item belongs to it, and so does a text directly under it.
  if (above === "list" && kind !== "code") return /^\s/.test(line) || (kind === "text" && lines.at(-1) !== "");
  return above === "quote" && kind === "text";
}

/** Whether a line is the end of the code that began with another. */
function closes(first, line) {
  return line.trim() === first.trim().slice(0, 3);
}
