// @ts-check
/** The stages of an answer as a bar in parts, each with its name. */

import { element } from "./inline.js";

/** What is being done in a stage, as one would say it. */
const DOING = {
  queued: "waits for a worker",
  intent: "reads the question",
  vision: "looks at the picture",
  retrieval: "searches the documents",
  answer: "writes",
  retrying: "will try again",
};
/** Stages that every answer has; others appear before the last one when they are heard of. */
const USUAL = ["intent", "retrieval", "answer"];

export class Steps {
  #element;
  /** @type {string[]} */ #stages = USUAL;
  /** How many are done, and whether the next one has begun. */ #past = 0;
  #present = false;
  /** What is being done, in words. */ doing = DOING.queued;

  /** @param {HTMLElement} element what they are shown in */
  constructor(element) {
    this.#element = element;
    this.#draw();
  }

  /** Take in an event of the job. @param {import("./api/v1/goatherd.js").JobEvent} event */
  hear({ event, data }) {
    if (event === "queued" || event === "retrying") this.#be(0, false, event);
    else if (event === "started") this.#be(0, true, this.#stages[0]);
    else if ("progress" in data) this.#reach(data.stage, data.status === "completed");
  }

  #reach(/** @type {string} */ stage, /** @type {boolean} */ completed) {
    if (!this.#stages.includes(stage)) this.#insert(stage);
    const past = this.#stages.indexOf(stage) + Number(completed);
    this.#be(past, true, this.#stages[past] ?? stage);
  }

  /** One that is not usual comes after those that are done. */
  #insert(/** @type {string} */ stage) {
    this.#stages = this.#stages.toSpliced(Math.min(this.#past, this.#stages.length - 1), 0, stage);
  }

  #be(/** @type {number} */ past, /** @type {boolean} */ present, /** @type {string} */ stage) {
    [this.#past, this.#present, this.doing] = [past, present, DOING[stage] ?? stage];
    this.#draw();
  }

  #draw() {
    if (this.#element.children.length !== this.#stages.length) {
      this.#element.replaceChildren(...this.#stages.map((stage) => element("span", stage[0].toUpperCase() + stage.slice(1))));
    }
    [...this.#element.children].forEach((item, number) => {
      item.className = number < this.#past ? "past" : number === this.#past && this.#present ? "present" : "";
    });
    this.#element.ariaValueNow = String(Math.round((100 * this.#past) / this.#stages.length));
    this.#element.ariaValueText = this.doing;
  }
}
