// The component of the how-to without React around it: the AI SDK's own chat over the page's answers.js.
// What its user does comes line by line on standard input; every change is told on a line of its own.
import { createInterface } from "node:readline";
import { AbstractChat } from "ai";
import { answersOf } from "./answers.js";

const kept = new Map();
globalThis.localStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => kept.set(key, value),
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
  tell() { tell({ status: this.#status, messages: this.messages }); }
}

class Chat extends AbstractChat {
  constructor(id) {
    const answers = answersOf(id);
    super({
      id,
      state: new State(),
      transport: answers.transport,
      onError: async (error) => {
        tell({ trouble: error.message });
        if (await answers.goesOn()) setTimeout(() => this.resumeStream(), 100);
        else tell({ given_up: true });
      },
    });
    this.answers = answers;
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
  stop: () => void chat.answers.stop(),
  // Another tab of the same browser; what it shows in the end is told.
  second: async () => {
    const other = new Chat("mine");
    other.state.tell = () => {};
    await other.resumeStream();
    tell({ second: other.messages.flatMap(({ parts }) => parts.map((part) => part.text ?? "")).join("") });
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const deed = JSON.parse(line);
  void deeds[deed.do](deed);
}
process.exit();
