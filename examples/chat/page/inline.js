// @ts-check
/** What stands within a line: code, strong and emphasised words, links. Only nodes are made, never markup. */

/** A longer one is shown as it is: looking for pairs in it could take long. */
const LONGEST = 20_000;
const HTTP = "https?://[^\\s<>\"'`]+";
/** @param {string} end what may stand for the closing sign: nothing, or the end of a text that is still written. */
const pattern = (end) =>
  new RegExp(
    [
      `(?<ticks>\`+)(?<code>[^]+?)(?:\\k<ticks>(?!\`)${end})`,
      `\\*\\*(?=\\S)(?<strong>[^]+?)(?:\\*\\*${end})`,
      `(?<![\\w*])\\*(?=[^\\s*])(?<emphasis>[^]+?)(?:(?<!\\s)\\*(?!\\w)${end})`,
      `\\[(?<label>[^\\]\\n]+)\\]\\((?<target>${HTTP}?)\\)`,
      `(?<address>${HTTP}[^\\s<>"'\`.,;:!?)\\]])`,
    ].join("|"),
    "g",
  );
const WHOLE = pattern("");
const UNFINISHED = pattern("|$");

/**
 * The nodes of a piece of text; line breaks are kept.
 * @param {string} text @param {boolean} [unfinished] whether more will follow, so that what has begun may be open
 * @returns {(Node | string)[]}
 */
export function inline(text, unfinished = false) {
  if (text.length > LONGEST) return [text];
  // A sign at the very end is the beginning of a pair, or of the end of one.
  if (unfinished) text = text.replace(/[*`]+$/, "");
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(unfinished ? UNFINISHED : WHOLE)) {
    nodes.push(...plain(text.slice(end, found.index)), nodeOf(found.groups ?? {}, unfinished));
    end = found.index + found[0].length;
  }
  return [...nodes, ...plain(text.slice(end))];
}

function nodeOf({ code, strong, emphasis, label, target, address }, unfinished) {
  if (code !== undefined) return element("code", code.trim());
  if (strong !== undefined) return element("strong", ...inline(strong, unfinished));
  if (emphasis !== undefined) return element("em", ...inline(emphasis, unfinished));
  const link = /** @type {HTMLAnchorElement} */ (element("a", ...(label ? inline(label) : [address])));
  // The pattern lets only http through: no script can be a link.
  return Object.assign(link, { href: target ?? address, target: "_blank", rel: "noopener noreferrer" });
}

function plain(text) {
  return text.split("\n").flatMap((line, number) => (number === 0 ? [line] : [element("br"), line])).filter((one) => one !== "");
}

/** A new element with these nodes or texts in it. @param {string} name @param {(Node | string)[]} content */
export function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}
