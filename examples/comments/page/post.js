// @ts-check
/** A post and its comments, which grow as they are written. */

import { close, comment, like, operate } from "./api.js";
import { Entry } from "./entry.js";
import { copyOf, likes, me, problem, rememberLike, say } from "./around.js";

export class PostCard {
  /** @type {Map<string, Entry>} */ #entries = new Map();
  #part;
  /** Whether the list moves on with what is being written; not while somebody reads what stands above. */
  #follows = true; #scrolledTo = 0;

  /** @param {import("./api.js").Post} told */
  constructor(told) {
    this.told = told;
    this.element = copyOf("post");
    this.#part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (this.element.querySelector(name));
    this.#part(".composer").onsubmit = (event) => { event.preventDefault(); this.#write(); };
    this.#part(".like").onclick = () => this.#like();
    this.#part(".close").onclick = () => close(this.told.id, !this.told.closed).catch(problem);
    this.#part(".entries").onscroll = () => this.#noticeScroll(this.#part(".entries"));
    this.#part(".retry").onclick = () => this.#operate("retry");
    this.#part(".skip").onclick = () => this.#operate("skip");
    this.#part(".command code").textContent = `goatherd lanes retry examples.comments.worker.service:comments posts=${told.id}`;
  }

  /** Show what has changed. @param {import("./api.js").Post} told */
  take(told) {
    if (told.version < this.told.version) return;
    this.told = told;
    const list = this.#part(".entries");
    for (const one of told.entries) {
      const known = this.#entries.get(one.id);
      if (known) known.take(one, me());
      else this.#entries.set(one.id, new Entry(told.id, one));
    }
    this.#sort(list);
    this.draw();
    if (this.#follows) this.#follow(list);
  }

  /** Show everything around the comments as it is now. */
  draw() {
    const { title, body, closed, written, waiting } = this.told;
    const numbers = this.#written.map((one) => one.told.number);
    const inOrder = numbers.every((number, place) => place === 0 || numbers[place - 1] < number);
    say(this.#part("h2"), title);
    say(this.#part(".body"), body);
    say(this.#part(".likes"), String(this.told.likes));
    this.#part(".like").setAttribute("aria-pressed", String(likes(this.told.id)));
    say(this.#part(".count"), written === 1 ? "1 comment" : `${written} comments`);
    say(this.#part(".order"), written === 0 ? "" : inOrder ? "✓ in order" : "✗ not in order");
    this.#part(".order").classList.toggle("wrong", !inOrder);
    say(this.#part(".rest"), waiting ? `${waiting} waiting` : "");
    this.#part(".nobody").hidden = this.#entries.size > 0;
    this.#part(".entries").hidden = this.#entries.size === 0;
    this.#part(".composer").hidden = closed;
    say(this.#part(".close"), closed ? "Comments are closed. Open them" : "Close the comments");
    this.element.classList.toggle("closed", closed);
    this.#drawStuck();
    for (const one of this.#entries.values()) one.take(one.told, me());
  }

  #drawStuck() {
    const held = [...this.#entries.values()].find((one) => one.told.state === "held");
    const box = this.#part(".stuck");
    box.hidden = held === undefined;
    if (held === undefined) return;
    const { number, told } = held.told;
    say(/** @type {HTMLElement} */ (box.querySelector("p")), `Number ${number} failed three times, and nothing may overtake it: ${told}.`);
  }

  get #written() {
    return [...this.#entries.values()].filter((one) => one.told.place !== null)
      .sort((one, other) => (one.told.place ?? 0) - (other.told.place ?? 0));
  }

  /** What is written as it was written; what is not, or not yet, where it would stand. */
  #sort(/** @type {HTMLElement} */ list) {
    const sorted = this.#written;
    const others = [...this.#entries.values()].filter((one) => one.told.place === null)
      .sort((one, other) => one.told.number - other.told.number);
    for (const one of others) {
      const next = sorted.findIndex((other) => other.told.number > one.told.number);
      sorted.splice(next < 0 ? sorted.length : next, 0, one);
    }
    sorted.forEach(({ element }, place) => {
      if (list.children[place] !== element) list.insertBefore(element, list.children[place] ?? null);
    });
  }

  /** Show what is being written, or the end; what waits may be below. */
  #follow(/** @type {HTMLElement} */ list) {
    const open = ["waiting", "writing", "retrying", "held"];
    const current = [...list.children].find((one) => open.some((state) => one.classList.contains(state)));
    const { offsetTop = list.scrollHeight, offsetHeight = 0 } = /** @type {HTMLElement} */ (current ?? {});
    list.scrollTop = Math.max(0, offsetTop + 2.5 * offsetHeight - list.clientHeight);
    this.#scrolledTo = list.scrollTop;
  }

  #noticeScroll(/** @type {HTMLElement} */ list) {
    // It was us.
    if (Math.abs(list.scrollTop - this.#scrolledTo) < 2) return;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    this.#follows = atEnd || (this.#follows && list.scrollTop > this.#scrolledTo);
  }

  async #write() {
    const field = /** @type {HTMLInputElement} */ (this.#part(".text"));
    const text = field.value.trim();
    if (text === "") return;
    field.value = "";
    try {
      await comment(this.told.id, me(), text);
      problem(null);
    } catch (error) {
      // It was not accepted, so nobody must type it again.
      if (field.value === "") field.value = text;
      problem(error);
    }
  }

  async #like() {
    const liked = !likes(this.told.id);
    rememberLike(this.told.id, liked);
    this.draw();
    await like(this.told.id, me(), liked).catch(problem);
  }

  async #operate(/** @type {"retry" | "skip"} */ what) {
    const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (this.element.querySelectorAll(".stuck button"));
    for (const button of buttons) button.disabled = true;
    await operate(this.told.id, what).then(() => problem(null), problem);
    for (const button of buttons) button.disabled = false;
  }
}
