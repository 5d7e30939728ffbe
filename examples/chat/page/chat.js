// @ts-check
/** The page: one chat, whose id is in the address; all tabs that have it open show the same. */

import { about, ask, look } from "./api.js";
import { element } from "./inline.js";
import { Exchange } from "./exchange.js";
import { chatInAddress, goTo, newChat } from "./address.js";
import { Scroller } from "./scroller.js";

const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const message = /** @type {HTMLTextAreaElement} */ (part("message"));
const send = /** @type {HTMLButtonElement} */ (part("send"));
const stop = /** @type {HTMLButtonElement} */ (part("stop"));
const scroller = new Scroller(part("scroller"), part("latest"));
/** Seconds between two tries to read the chat: at first, and at the most. */
const [SOON, LATER] = [1, 15];

/** @type {Chat} */ let chat;

class Chat {
  /** @type {Exchange[]} */ #exchanges = [];
  /** Resolves when a question that is on its way has arrived or not. */ #asking = Promise.resolve();
  #channel; #timer = 0; #loaded = false; #unread = false; #closed = false;

  /** @param {string} id */
  constructor(id) {
    this.id = id;
    part("exchanges").replaceChildren();
    // Tabs tell each other when there is something new.
    this.#channel = new BroadcastChannel(`chat ${id}`);
    this.#channel.onmessage = () => this.read();
    this.read();
  }

  get isBusy() { return this.#exchanges.some((one) => one.isOpen); }

  /** Show what the history tells; whatever is open is followed. */
  async read(wait = SOON) {
    clearTimeout(this.#timer);
    await this.#asking;
    const history = await look(this.id).catch(() => null);
    if (this.#closed) return;
    this.#unread = history === null;
    if (history === null) {
      this.#timer = setTimeout(() => this.read(Math.min(2 * wait, LATER)), 1_000 * wait);
    } else {
      this.#loaded = true;
      const known = history.messages.map((told) => this.#find(told));
      this.#sort(known);
      history.messages.forEach((told, number) => known[number].take(told));
    }
    this.draw();
  }

  /** Ask a question, unless one is being answered. */
  async ask(/** @type {string} */ text) {
    if (this.isBusy) return;
    const exchange = this.#add(text);
    scroller.toEnd();
    this.#asking = this.#send(exchange);
    await this.#asking;
    this.draw();
  }

  stop() {
    for (const one of this.#exchanges) if (one.canStop) one.stop();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#channel.close();
    for (const one of this.#exchanges) one.close();
  }

  /** Show everything around the exchanges as it is now. */
  draw() {
    if (this.#closed) return;
    const open = this.#exchanges.find((one) => one.isOpen);
    part("empty").hidden = !this.#loaded || this.#exchanges.length > 0;
    stop.hidden = open === undefined;
    send.hidden = !stop.hidden;
    stop.disabled = open !== undefined && !this.#exchanges.some((one) => one.canStop);
    send.disabled = message.value.trim() === "";
    say("connection", this.#unread || this.#exchanges.some((one) => one.away) ? "Reconnecting…" : "");
    say("spoken", open?.doing ? `Goatherd ${open.doing}` : "");
    scroller.follow();
  }

  /** @param {Exchange} exchange */
  async #send(exchange) {
    try {
      const accepted = await ask(this.id, exchange.message);
      exchange.follow(accepted);
      this.#channel.postMessage("asked");
    } catch (error) {
      exchange.fail(error.message);
    }
  }

  /** The exchange that is told of: the one with its id, one whose sending seemed to fail, or a new one. */
  #find(/** @type {import("./api.js").Told} */ { job_id, message }) {
    return (
      this.#exchanges.find((one) => one.jobId === job_id) ??
      this.#exchanges.find((one) => one.jobId === null && one.message === message) ??
      this.#add(message)
    );
  }

  /** Tabs that asked at the same time show it in the same order; what has not arrived is last. */
  #sort(/** @type {Exchange[]} */ known) {
    const sorted = [...known, ...this.#exchanges.filter((one) => !known.includes(one))];
    if (sorted.every((one, number) => one === this.#exchanges[number])) return;
    this.#exchanges = sorted;
    part("exchanges").append(...sorted.map((one) => one.element));
  }

  #add(/** @type {string} */ text) {
    const told = async () => (await look(this.id)).messages.find((one) => one.job_id === exchange.jobId);
    const exchange = new Exchange(text, told);
    exchange.onchange = () => this.draw();
    exchange.onagain = () => this.#again(exchange);
    this.#exchanges.push(exchange);
    part("exchanges").append(exchange.element);
    return exchange;
  }

  /** Ask once more; what never arrived makes room for it. */
  async #again(/** @type {Exchange} */ exchange) {
    if (this.isBusy) return;
    toMessage();
    if (exchange.jobId === null) {
      await this.read();
      if (exchange.jobId !== null) return;
      this.#exchanges = this.#exchanges.filter((one) => one !== exchange);
      exchange.element.remove();
    }
    await this.ask(exchange.message);
  }
}

/** Change what an element says, only if it is something else: it may be read out. */
function say(/** @type {string} */ id, /** @type {string} */ text) {
  if (part(id).textContent !== text) part(id).textContent = text;
}

function submit() {
  const text = message.value.trim();
  if (text === "" || chat.isBusy) return;
  message.value = "";
  fit();
  toMessage();
  chat.ask(text);
}

/** Let the field be as high as its text, up to a limit. */
function fit() {
  message.style.height = "";
  message.style.height = `${message.scrollHeight}px`;
  chat?.draw();
}

function open() {
  chat?.close();
  chat = new Chat(chatInAddress());
  message.value = "";
  fit();
  toMessage();
}

/** Let one type; not on a phone, where this brings up a keyboard over half of the page. */
function toMessage() {
  if (matchMedia("(hover: hover)").matches) message.focus();
}

async function tellProvider() {
  const { provider, model } = await about();
  const offline = provider === "offline";
  const short = offline ? "Offline" : (model ?? provider);
  part("provider").replaceChildren(Object.assign(element("span", short), { className: "short" }));
  if (offline) part("provider").append(Object.assign(element("span", "no language model, only the documents"), { className: "long" }));
  part("provider").classList.toggle("offline", offline);
  part("introduction").textContent = offline
    ? "No language model is at work here: answers are the best sentences of Goatherd’s own documents."
    : `Answers are written by ${short}, from what Goatherd’s own documents say.`;
}

part("composer").onsubmit = (event) => { event.preventDefault(); submit(); };
message.oninput = fit;
message.onkeydown = (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  submit();
};
document.onkeydown = (event) => {
  if (event.key === "Escape" && !event.isComposing) chat.stop();
};
stop.onclick = () => { chat.stop(); toMessage(); };
part("new").onclick = () => goTo(newChat());
for (const example of document.querySelectorAll(".example")) {
  /** @type {HTMLElement} */ (example).onclick = () => { toMessage(); chat.ask(example.textContent ?? ""); };
}
window.onhashchange = open;
// What other browsers asked meanwhile.
document.onvisibilitychange = () => { if (!document.hidden) chat.read(); };

open();
tellProvider().catch(() => {});
