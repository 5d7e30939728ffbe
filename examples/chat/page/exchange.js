// @ts-check
/** A question and its answer: how it is shown, and how it is followed while it is written. */

import { watch } from "./api/v1/goatherd.js";
import { cancel } from "./api.js";
import { element } from "./inline.js";
import { Prose } from "./prose.js";
import { Steps } from "./steps.js";

/** Whose words these are. */
const PROVIDERS = {
  offline: "Offline, without a language model",
  openai: "Written by a language model",
};
const LOST = "The worker was lost; starting again.";
const ANEW = "This answer was begun anew.";

export class Exchange {
  /** @type {string | null} */ jobId = null;
  /** sending, open, or how it has ended. */ status = "sending";
  /** What is being done, in words. */ doing = "";
  /** Whether the connection is lost for now. */ away = false;
  /** When anything has changed that others may want to know. */ onchange = () => {};
  /** When the question is to be asked again. */ onagain = () => {};
  /** Gives what the history tells of it now. @type {() => Promise<import("./api.js").Told | undefined>} */ ontold;

  #parts; #prose; #steps; #watching = null; #cancelUrl = "";
  #text = ""; #drawing = false; #stopping = false;
  #attempt = 0; #before = "";

  /** @param {string} message */
  constructor(message, ontold) {
    this.message = message;
    this.ontold = ontold;
    const template = /** @type {HTMLTemplateElement} */ (document.getElementById("exchange"));
    const made = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
    this.element = /** @type {HTMLElement} */ (made.firstElementChild);
    const part = (name) => /** @type {HTMLElement} */ (this.element.querySelector(`.${name}`));
    const names = ["answer", "doing", "note", "text", "problem", "steps", "after", "again", "copy", "provider", "sources"];
    this.#parts = Object.fromEntries(names.map((name) => [name, part(name)]));
    this.#prose = new Prose(this.#parts.text);
    this.#steps = new Steps(this.#parts.steps);
    part("said").textContent = message;
    this.#parts.again.onclick = () => (this.status === "unseen" ? this.#lookAgain() : this.onagain());
    this.#parts.copy.onclick = () => this.#copy();
    this.#draw();
  }

  get isOpen() { return this.status === "sending" || this.status === "open"; }
  /** Whether it can be stopped, and was not yet. */
  get canStop() { return this.status === "open" && !this.#stopping; }

  /** Show it as the history tells it, and follow it if it is still written. @param {import("./api.js").Told} told */
  take(told) {
    this.jobId = told.job_id;
    if (told.stream !== null) return void (this.#watching ?? this.follow(told.stream));
    if (this.status === told.status) return;
    this.#watching?.close();
    this.#text = told.answer;
    this.#tellSources(told.sources);
    this.#end(told.status, told.error, told.provider);
  }

  /** The question did not arrive. */
  fail(/** @type {string} */ why) { this.#end("unsent", why); }

  /** Follow the answer until its end. @param {import("./api.js").Accepted} accepted */
  async follow({ job_id, stream_url, stream_token, cancel_url }) {
    // The history may have told of it before the answer to our question came.
    if (this.#watching !== null) return;
    [this.jobId, this.#cancelUrl, this.status] = [job_id, cancel_url, "open"];
    /** @type {string | null} */ let first = stream_token;
    const token = async () => {
      const given = first ?? (await this.#anotherToken());
      first = null;
      return given;
    };
    // From the first event on, whenever one comes: also a page that is loaded again shows sources and notes.
    const job = (this.#watching = watch(stream_url, { token, after: "earliest" }));
    job.onchange = () => this.#look();
    this.#parts.problem.hidden = true;
    this.#draw();
    try {
      for await (const event of job) this.#hear(event);
    } catch (error) {
      await this.#giveUp(error);
    }
  }

  /** Ask for it to be stopped; the end is told like any other. */
  async stop() {
    this.#stopping = true;
    this.#draw();
    try {
      const { cancelled } = await cancel(this.#cancelUrl);
      if (!cancelled) await this.#lookBack();
    } catch (error) {
      this.#stopping = false;
      this.#tellNote(`It could not be stopped: ${error.message}`);
    }
    this.#draw();
  }

  close() { this.#watching?.close(); }

  /** The first token has expired: the history has another one, unless the answer is there already. */
  async #anotherToken() {
    const told = await this.ontold();
    if (told?.stream) return told.stream.stream_token;
    if (told !== undefined) this.take(told);
    return "";
  }

  async #lookBack() {
    const told = await this.ontold();
    if (told !== undefined && told.stream === null) this.take(told);
  }

  /** The gateway will not show it; it may be that it has ended long ago. */
  async #giveUp(error) {
    await this.#lookBack().catch(() => {});
    if (this.isOpen) this.#end("unseen", error.message);
  }

  async #lookAgain() {
    this.#watching = null;
    const told = await this.ontold().catch((error) => this.#end("unseen", error.message));
    if (told) this.take(told);
  }

  #hear(event) {
    const { event: name, id, data } = event;
    this.#text = this.#watching.text;
    const again = (name === "started" && id !== null && this.#before !== "") || data.attempt > this.#attempt;
    // A failure was told of; a worker that dies tells nobody. Without an id it stands for what was missed.
    if (again && this.#attempt > 0 && this.#before !== "retrying") this.#tellNote(id === null ? ANEW : LOST);
    this.#attempt = Math.max(this.#attempt, data.attempt ?? 0);
    if (name === "retrying") this.#tellNote("This attempt failed; trying again.", data.error);
    if (!["queued", "token_recovery"].includes(name)) this.#before = name;
    if (data.fields?.sources) this.#tellSources(data.fields.sources);
    this.#steps.hear(event);
    if (name === "done") {
      this.#tellSources(data.result?.sources ?? []);
      this.#end("done", "", data.result?.provider ?? "");
    } else if (name === "error") this.#end(data.status, data.message);
    else if (name !== "token") this.#draw();
  }

  /** goatherd.js has something new. */
  #look() {
    const { state, text } = this.#watching;
    this.#text = text;
    if (state === "waiting") this.away = true;
    else if (state !== "connecting") this.away = false;
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => { this.#drawing = false; this.#draw(); });
  }

  #end(status, why = "", provider = "") {
    this.status = status;
    this.away = this.#stopping = false;
    const { note, problem } = this.#parts;
    if (status === "failed") note.hidden = true;
    problem.textContent = WORDS[status]?.(why) ?? "";
    problem.hidden = problem.textContent === "";
    problem.classList.toggle("bad", !["done", "cancelled"].includes(status));
    this.#parts.provider.textContent = PROVIDERS[provider] ?? provider;
    this.#draw();
  }

  #draw() {
    const { answer, doing, text, steps, after, again, copy } = this.#parts;
    this.doing = this.status === "sending" ? "sends" : this.#stopping ? "stops" : this.isOpen ? this.#steps.doing : "";
    doing.textContent = this.doing && `${this.doing} …`;
    this.#prose.show(this.#text, this.isOpen);
    answer.classList.toggle("writing", this.isOpen);
    // Those who hear the page are told the answer when it is whole, not word by word.
    text.ariaBusy = String(this.isOpen);
    [steps.hidden, after.hidden] = [!this.isOpen, this.isOpen];
    again.hidden = this.status === "done";
    copy.hidden = this.#text === "" || !navigator.clipboard;
    this.onchange();
  }

  #tellNote(/** @type {string} */ text, why = "") {
    Object.assign(this.#parts.note, { textContent: text, title: why, hidden: false });
  }

  #tellSources(/** @type {string[]} */ sources) {
    this.#parts.sources.replaceChildren(...sources.map((source) => element("li", source)));
  }

  async #copy() {
    await navigator.clipboard.writeText(this.#text);
    this.#parts.copy.textContent = "Copied";
    setTimeout(() => { this.#parts.copy.textContent = "Copy"; }, 1_500);
  }
}

/** What is said of an answer that is not there, or not whole. @type {Record<string, (why: string) => string>} */
const WORDS = {
  cancelled: () => "This answer was stopped.",
  failed: (why) => `There is no answer: ${why || "the worker failed"}.`,
  expired: () => "There is no answer: nobody had time for it.",
  lost: () => "There is no answer: it was lost.",
  unsent: (why) => `Your message was not sent. ${why}`,
  unseen: (why) => `This answer cannot be shown. ${why}`,
};
