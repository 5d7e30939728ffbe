// The component of the how-to without React around it: the AI SDK's own chat over the page's answers.js.
// What its user does comes line by line on standard input; every change is told on a line of its own.
import { createInterface } from "node:readline";
import { AbstractChat } from "ai";
import { answers, forget, goesOn, stop } from "./answers.js";

const kept = new Map();
globalThis.localStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => kept.set(key, value),
  removeItem: (key) => kept.delete(key),
};
const reach = globalThis.fetch;
globalThis.fetch = (address, options) => reach(new URL(address, process.env.SERVICE), options);

const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

class State {
  messages = [];
  error = undefined;
  #status = "ready";

  get status() { return this.#status; }
  set status(status) { this.#status = status; this.tell(); }
  pushMessage = (message) => { this.messages = [...this.messages, structuredClone(message)]; this.tell(); };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (index, message) => { this.messages = this.messages.with(index, structuredClone(message)); this.tell(); };
  snapshot = (thing) => structuredClone(thing);
  tell() { tell({ status: this.#status, error: this.error?.message, messages: this.messages }); }
}

class Chat extends AbstractChat {
  constructor(id) {
    super({
      id,
      state: new State(),
      transport: answers(id),
      onFinish: ({ isError }) => isError || forget(id),
      onError: async () => {
        if (await goesOn(id)) setTimeout(() => this.resumeStream(), 100);
        else tell({ given_up: true });
      },
    });
  }
}

let chat = new Chat("mine");
const deeds = {
  send: ({ text }) => void chat.sendMessage({ text }),
  reload: () => {
    // What the page before says afterwards is seen by nobody.
    chat.state.tell = () => {};
    chat = new Chat("mine");
    void chat.resumeStream();
  },
  stop: () => void stop("mine"),
  remembers: () => tell({ remembers: kept.size }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const deed = JSON.parse(line);
  deeds[deed.do](deed);
}
process.exit();
