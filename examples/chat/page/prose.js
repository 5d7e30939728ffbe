// @ts-check
/** Shows a text that grows; what is there already stays as it is, so that it can be read and selected meanwhile. */

import { blocksOf, ITEM } from "./blocks.js";
import { element, inline } from "./inline.js";

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
    else if (old.tagName === made.tagName) old.replaceChildren(...made.childNodes);
    else old.replaceWith(made);
    return old?.tagName === made.tagName ? old : made;
  }
}

const NODES = {
  text: (source, unfinished) => element("p", ...inline(source, unfinished)),
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
function listOf(lines, unfinished) {
  const [, indent, sign] = /** @type {string[]} */ (ITEM.exec(lines[0]));
  const list = element(/\d/.test(sign) ? "ol" : "ul");
  if (/\d/.test(sign)) /** @type {HTMLOListElement} */ (list).start = parseInt(sign, 10);
  for (let number = 0; number < lines.length; ) {
    const [, , , text] = ITEM.exec(lines[number]) ?? ["", "", "", lines[number].trim()];
    const rest = lines.slice(number + 1);
    const next = rest.findIndex((line) => ITEM.test(line) && depthOf(line) <= indent.length);
    const within = next === -1 ? rest : rest.slice(0, next);
    number += 1 + within.length;
    const inner = within.findIndex((line) => ITEM.test(line));
    const more = (inner === -1 ? within : within.slice(0, inner)).map((line) => `\n${line.trim()}`);
    const item = element("li", ...inline(text + more.join(""), unfinished && number >= lines.length));
    if (inner !== -1) item.append(listOf(within.slice(inner), unfinished));
    list.append(item);
  }
  return list;
}

const depthOf = (line) => line.length - line.trimStart().length;

function tableOf(lines, unfinished) {
  const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line)).map((line) => line.trim().replace(/^\||\|$/g, "").split("|"));
  const [head, ...body] = rows.map((cells, row) =>
    element("tr", ...cells.map((cell) => element(row === 0 ? "th" : "td", ...inline(cell.trim(), unfinished)))),
  );
  const table = element("table", element("thead", ...(head ? [head] : [])), element("tbody", ...body));
  return Object.assign(element("div", table), { className: "wide", tabIndex: 0, role: "group", ariaLabel: "Table" });
}
