// @ts-check
/** One comment, from its submission on. */

import { edit } from "./api.js";
import { copyOf, problem, say } from "./around.js";

/** How it stands, in words and as a sign. */
const STATES = {
  waiting: ["waits", "·"],
  writing: ["is being written", "…"],
  retrying: ["failed, will be tried again", "↻"],
  held: ["failed, and holds the post", "!"],
  skipped: ["was skipped", "–"],
  refused: ["came after the comments were closed", "–"],
  done: ["", "✓"],
};

export class Entry {
  /** @type {import("./api.js").Told} */ told;
  #part;

  /** @param {number} post @param {import("./api.js").Told} told */
  constructor(post, told) {
    this.post = post;
    this.told = told;
    this.element = copyOf("entry");
    this.#part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (this.element.querySelector(name));
    this.#part(".edit").onclick = () => this.#open();
    this.#part(".change").onsubmit = (event) => { event.preventDefault(); this.#save(); };
    this.#part(".change").onkeydown = (event) => { if (event.key === "Escape") this.#leave(); };
    this.#draw("");
  }

  /** @param {import("./api.js").Told} told @param {string} me whose comments may be edited */
  take(told, me) {
    // An older one may come late, after the connection was lost.
    if (told.version >= this.told.version) this.told = told;
    this.#draw(me);
  }

  /** @param {string} me */
  #draw(me) {
    const { number, author, text, state, worker, edits, told, tries } = this.told;
    const [words, sign] = STATES[state] ?? [state, ""];
    this.element.className = `entry ${state}`;
    say(this.#part(".number"), String(number));
    say(this.#part(".author"), author);
    say(this.#part(".said"), text);
    say(this.#part(".mark"), sign);
    const done = `by worker ${worker}${tries > 1 ? `, tried ${tries} times` : ""}${edits ? ", edited" : ""}`;
    say(this.#part(".state"), state === "done" ? done : words);
    this.element.title = told;
    this.#part(".edit").hidden = state !== "done" || author !== me || !this.#part(".change").hidden;
  }

  #open() {
    const field = this.#field;
    field.value = this.told.text;
    this.#show(true);
    field.focus();
  }

  #leave() {
    this.#show(false);
    this.#draw(this.told.author);
  }

  async #save() {
    const text = this.#field.value.trim();
    this.#leave();
    if (text === "" || text === this.told.text) return;
    await edit(this.post, this.told.id, text).catch(problem);
  }

  #show(/** @type {boolean} */ editing) {
    this.#part(".change").hidden = !editing;
    this.#part(".said").hidden = editing;
    this.#part(".edit").hidden = editing;
  }

  get #field() { return /** @type {HTMLInputElement} */ (this.#part(".change input")); }
}
