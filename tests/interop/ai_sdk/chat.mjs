// A page's chat, as `useChat` has it: the AI SDK's own chat, transport and parser, without React around them.
// What to do comes as JSON in STORY; every change is told on a line of its own.
import { AbstractChat, DefaultChatTransport, readUIMessageStream } from "ai";

const { story, stream, token } = JSON.parse(process.env.STORY);
const headers = { Authorization: `Bearer ${token}` };

const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

class State {
  messages = [];
  #status = "ready";
  error = undefined;

  get status() {
    return this.#status;
  }
  set status(status) {
    this.#status = status;
    this.tell();
  }
  pushMessage = (message) => {
    this.messages = [...this.messages, structuredClone(message)];
    this.tell();
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index, message) => {
    this.messages = this.messages.with(index, structuredClone(message));
    this.tell();
  };
  snapshot = (thing) => structuredClone(thing);

  tell() {
    tell({ status: this.status, error: this.error?.message, messages: this.messages });
  }
}

class Chat extends AbstractChat {
  constructor(options) {
    super({ ...options, state: new State() });
  }
}

// The page's own service would start the job and answer with its id; here the job is there already.
const transport = new DefaultChatTransport({
  fetch: (address, options) =>
    options.method === "POST"
      ? fetch(`${stream}&after=earliest`, { headers, signal: options.signal })
      : fetch(address, options),
  prepareReconnectToStreamRequest: () => ({ api: stream, headers }),
});

// Resumes below the parser, for clients that keep the last id: what comes after it is asked for again.
function resuming(address, onConnect) {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let lastId;
  return new ReadableStream({
    async start(controller) {
      for (;;) {
        const headersNow = lastId === undefined ? headers : { ...headers, "Last-Event-ID": lastId };
        const response = await fetch(address, { headers: headersNow }).catch(() => undefined);
        onConnect(response?.status);
        if (response?.status === 204) break;
        if (response?.status !== 200) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          continue;
        }
        let rest = "";
        let group = "";
        try {
          for await (const piece of response.body) {
            const blocks = (rest + decoder.decode(piece, { stream: true })).split("\n\n");
            rest = blocks.pop();
            for (const block of blocks) {
              group += `${block}\n\n`;
              const id = /^id: (.*)$/m.exec(block)?.[1];
              if (id === undefined) continue;
              controller.enqueue(encoder.encode(group));
              [lastId, group] = [id, ""];
            }
          }
        } catch {
          // Cut off: what was not whole comes again.
        }
      }
      controller.close();
    },
  });
}

const stories = {
  // Send a message; resume as often as the stream breaks, as a page does in `onError`.
  async send() {
    const chat = new Chat({ transport, onError: (error) => tell({ trouble: error.message }) });
    await chat.sendMessage({ text: "How many goats?" });
    for (let tries = 0; chat.status === "error" && !chat.error.message.includes("no goats"); tries++) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(50 * tries, 500)));
      await chat.resumeStream();
    }
  },
  // A page that was loaded in the middle of an answer, or after it.
  async resume() {
    const chat = new Chat({ transport });
    await chat.resumeStream();
    tell({ status: chat.status, messages: chat.messages });
  },
  async resumeBelow() {
    const reader = new (class extends DefaultChatTransport {
      read = (body) => this.processResponseStream(body);
    })();
    const body = resuming(`${stream}&after=earliest`, (status) => tell({ connected: status }));
    for await (const made of readUIMessageStream({ stream: reader.read(body) })) {
      tell({ status: "streaming", messages: [made] });
    }
  },
};

await stories[story]();
tell({ over: true });
