// @ts-check
/** Shows a text that grows; what is there already stays as it is, so that it can be read and selected meanwhile. */

import { blocksOf, ITEM } from "./blocks.js";
import { element, inline } from "./inline.js";

/** Lists within lists; what is further within is text. */
const DEEPEST = 8;

export class Prose {
  #element;
  /** @type {{key: string, node: HTMLElement}[]} */ #shown = [];

  /** @param {HTMLElement} element what it is shown in */
  constructor(element) { this.#element = element; }

  /** @param {string} text the whole text so far @param {boolean} [unfinished] whether more will follow */
  show(text, unfinished = false) {
    const blocks = blocksOf(text);
    const keys = blocks.map(({ source }, number) => (unfinished && number === blocks.length - 1 ? "…" : "") + source);
    for (const { node } of this.#shown.splice(keys.length)) node.remove();
    blocks.forEach((block, number) => {
      if (this.#shown[number]?.key === keys[number]) return;
      const node = nodeOf(block, unfinished && number === blocks.length - 1);
      this.#shown[number] = { key: keys[number], node: this.#put(node, this.#shown[number]?.node) };
    });
  }

  /** An element of the same kind is kept and filled anew, so that nothing about it begins anew. */
  #put(/** @type {HTMLElement} */ made, /** @type {HTMLElement | undefined} */ old) {
    if (old === undefined) this.#element.append(made);
    else if (old.tagName !== made.tagName) old.replaceWith(made);
    else {
      old.replaceChildren(...made.childNodes);
      [old.className, old.ariaLabel] = [made.className, made.ariaLabel];
      return old;
    }
    return made;
  }
}

const NODES = {
  // A line of strong words alone is a title, also while it is written.
  text: (source, unfinished) =>
    Object.assign(element("p", ...inline(source, unfinished)), { className: /^\*\*[^*\n]+(\*\*)?$/.test(source) ? "title" : "" }),
  heading: (source, unfinished) => element("h4", ...inline(source.replace(/^#+\s+|\s+#+$/g, ""), unfinished)),
  rule: () => element("hr"),
  quote: (source, unfinished) => element("blockquote", ...inline(source.replace(/^ {0,3}> ?/gm, ""), unfinished)),
  list: (source, unfinished) => listOf(source.split("\n").filter((line) => line !== ""), unfinished),
  code: (source) => codeOf(source.split("\n")),
  table: (source, unfinished) => tableOf(source.split("\n"), unfinished),
};

/** @param {import("./blocks.js").Block} block @returns {HTMLElement} */
function nodeOf({ kind, source }, unfinished) {
  return NODES[kind](source, unfinished);
}

function codeOf([fence, ...lines]) {
  if (lines.at(-1)?.trim() === fence.trim().slice(0, 3)) lines.pop();
  const shown = element("pre", element("code", lines.join("\n")));
  // It may be wider than the page: then it can be scrolled by keys.
  return Object.assign(shown, { tabIndex: 0, role: "group", ariaLabel: `Code ${fence.trim().slice(3)}`.trim() });
}

/** A list, with those within it by how far they are indented. */
function listOf(lines, unfinished, depth = 1) {
  const [, indent, sign] = /** @type {string[]} */ (ITEM.exec(lines[0]));
  const list = element(/\d/.test(sign) ? "ol" : "ul");
  if (parseInt(sign, 10) > 1) /** @type {HTMLOListElement} */ (list).start = parseInt(sign, 10);
  for (let begin = 0, end; begin < lines.length; begin = end) {
    for (end = begin + 1; end < lines.length && !isItem(lines[end], indent.length); ) end += 1;
    const last = unfinished && end === lines.length;
    list.append(itemOf(lines.slice(begin, end), last, depth));
  }
  return list;
}

function itemOf(lines, unfinished, depth) {
  const within = lines.findIndex((line, number) => number > 0 && depth < DEEPEST && ITEM.test(line));
  const [first, ...more] = within === -1 ? lines : lines.slice(0, within);
  const text = [ITEM.exec(first)?.[3], ...more.map((line) => line.trim())].join("\n");
  const item = element("li", ...inline(text, unfinished && within === -1));
  if (within !== -1) item.append(listOf(lines.slice(within), unfinished, depth + 1));
  return item;
}

/** Whether a line is an item that is not indented further than this. */
function isItem(line, most) {
  return ITEM.test(line) && line.length - line.trimStart().length <= most;
}

function tableOf(lines, unfinished) {
  const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line)).map((line) => line.trim().replace(/^\||\|$/g, "").split("|"));
  const [head, ...body] = rows.map((cells, row) =>
    element("tr", ...cells.map((cell) => element(row === 0 ? "th" : "td", ...inline(cell.trim(), unfinished)))),
  );
  const table = element("table", element("thead", ...(head ? [head] : [])), element("tbody", ...body));
  return Object.assign(element("div", table), { className: "wide", tabIndex: 0, role: "group", ariaLabel: "Table" });
}
