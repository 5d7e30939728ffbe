// @ts-check
/**
 * Follow a job from a web page and miss nothing: no gap, no repeat, whatever breaks in between.
 *
 *     import { watch } from "/api/v1/goatherd.js";
 *     const job = watch(`/api/v1/chat/${id}/events`, { token });
 *     job.onchange = () => { output.textContent = job.text; };
 *     for await (const { event, data } of job) { … }       // ends with the job; throws if it cannot be followed
 *
 * @typedef {{id: string | null, event: string, data: any, gap?: boolean}} JobEvent
 *   `gap`: events before it could not be told one by one, and it stands for them; the text is whole nevertheless.
 * @typedef {"connecting" | "live" | "waiting" | "ended" | "failed" | "closed"} State
 *   waiting: the connection is lost and will be tried again; ended: the job has, well or not (see `last`);
 *   failed: it cannot be followed (see `error`); closed: by `close()`.
 * @typedef {object} Options
 * @property {string | (() => string | Promise<string>)} [token] a function is asked anew when its token is refused.
 * @property {boolean | string} [share] one connection for all tabs of this origin (the default), or for those that
 *   give the same word, such as the user's name.
 * @property {string} [after] begin after the event with this id, or with "earliest"; such a stream is not shared.
 * @property {number} [keepalive] seconds after which the gateway breaks a silence; 15 unless it was told otherwise.
 * @property {RequestCredentials} [credentials] as of fetch.
 */

/** Follow the job whose events are at `url`. @param {string | URL} url @param {Options} [options] */
export const watch = (url, options = {}) => new Watching(url, options);

/** The job cannot be followed, and trying again would not help; `status` is that of the HTTP response. */
export class WatchError extends Error {
  name = "WatchError";
  status = 0;
}

/** Makes frames of the bytes of an event stream, wherever these are cut. */
export class Parser {
  #decoder = new TextDecoder();
  #rest = "";
  #endedInReturn = false;
  #frame = { id: "", event: "", lines: /** @type {string[]} */ ([]) };
  /** Milliseconds that the server wants us to wait before we come back. @type {number | undefined} */ retry;

  feed(/** @type {Uint8Array} */ bytes) {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    if (this.#endedInReturn && text.startsWith("\n")) text = text.slice(1);
    this.#endedInReturn = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => (line === "" ? this.#dispatch() : this.#take(line)));
  }

  #take(/** @type {string} */ line) {
    const [, name, value] = /** @type {string[]} */ (/^([^:]*):? ?(.*)$/s.exec(line));
    if (name === "data") this.#frame.lines.push(value);
    if (name === "event") this.#frame.event = value;
    if (name === "id" && !value.includes("\0")) this.#frame.id = value;
    if (name === "retry" && /^[0-9]+$/.test(value)) this.retry = Number(value);
    return [];
  }

  #dispatch() {
    const { id, event, lines } = this.#frame;
    this.#frame = { id: "", event: "", lines: [] };
    return lines.length === 0 ? [] : [{ id: id || null, event: event || "message", data: lines.join("\n") }];
  }
}

/** What the events so far amount to: the text of one attempt, never of two, the stage, and the position. */
export class Transcript {
  text = "";
  /** The last event that was not about the text. @type {JobEvent | null} */ last = null;
  /** The id to go on from. @type {string | null} */ position = null;
  #attempt = 0;

  get ended() { return ["done", "error"].includes(this.last?.event ?? ""); }

  apply(/** @type {JobEvent} */ { id, event, data }) {
    const attempt = data.attempt ?? this.#attempt;
    const anew = event === "started" || event === "token_recovery" || attempt > this.#attempt;
    if (anew) [this.text, this.#attempt] = [data.accumulated ?? "", attempt];
    if (event === "token" && attempt === this.#attempt) this.text += data.content;
    if (event !== "token" && event !== "token_recovery") this.last = { id, event, data };
    this.position = id ?? this.position;
  }

  /** Events that stand for all so far, for those who come late; only the last has an id. @returns {JobEvent[]} */
  summary() {
    if (this.position === null) return [];
    const data = { accumulated: this.text, completed: this.ended, attempt: this.#attempt };
    const text = { id: this.ended ? null : this.position, event: "token_recovery", data };
    const last = this.last === null ? [] : [{ ...this.last, id: this.ended ? this.position : null }];
    return this.ended ? [text, ...last] : [...last, text];
  }

  /** By how many places an event is ahead of all so far, as far as that can be told. @param {string} id */
  lead(id) {
    const [epoch, seq] = id.split("-");
    const [ours, last] = (this.position ?? "").split("-");
    return epoch === ours ? Number(seq) - Number(last) : Infinity;
  }
}

/** Milliseconds to wait after so many failures in a row: at most 45 s, and not the same for everybody. */
export function backoff(/** @type {number} */ failures, /** @type {number} */ retry, random = Math.random) {
  return Math.min(retry * 2 ** failures, 30_000) * (0.5 + random());
}

/** Wait, but not after the network or the reader has come back. @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
  return new Promise((/** @type {(_?: void) => void} */ resolve) => {
    const over = new AbortController();
    const wake = () => { clearTimeout(timer); over.abort(); resolve(); };
    const timer = setTimeout(wake, ms);
    signal.addEventListener("abort", wake, { signal: over.signal });
    globalThis.addEventListener?.("online", wake, { signal: over.signal });
    globalThis.document?.addEventListener("visibilitychange", wake, { signal: over.signal });
  });
}

class Watching {
  #transcript = new Transcript();
  #readers = new Set();
  #url; #options; #token; #retry = 2_000; #failures = 0;
  #turn = new AbortController(); #tab = Math.random().toString(36).slice(2);
  #channel; #patience; #leads = false; #synced = false;
  /** @type {State} */ state = "connecting";
  /** Why it cannot be followed. @type {Error | null} */ error = null;
  /** Called when anything here has changed. @type {(() => void) | null} */ onchange = null;

  constructor(/** @type {string | URL} */ url, /** @type {Options} */ { share = true, ...options }) {
    this.#url = new URL(url, globalThis.document?.baseURI);
    this.#options = { keepalive: 15, ...options };
    const shared = share && !options.after && globalThis.navigator?.locks && globalThis.BroadcastChannel;
    const life = shared ? this.#takeTurns(`goatherd ${share} ${this.#place}`) : this.#follow(this.#turn.signal);
    life.catch((error) => this.#become("failed", error));
  }

  /** The whole text of the current attempt. */
  get text() { return this.#transcript.text; }
  /** What the job is at, in one word. @returns {string | null} */
  get stage() { return this.last?.data.stage ?? null; }
  /** The last event that was not about the text; of a job that has ended, its `done` or `error`. */
  get last() { return this.#transcript.last; }
  /** Follow it no more. */ close() { this.#become("closed"); }

  get #over() { return ["ended", "failed", "closed"].includes(this.state); }
  get #place() { return this.#url.origin + this.#url.pathname + (this.#url.searchParams.get("job_id") ?? ""); }

  /** What stands for the events so far, and then each one. @returns {AsyncGenerator<JobEvent, void, void>} */
  async *[Symbol.asyncIterator]() {
    const reader = { events: this.#transcript.summary(), wake: () => {} };
    this.#readers.add(reader);
    try {
      for (; ; await new Promise((/** @type {(_?: void) => void} */ resolve) => { reader.wake = resolve; })) {
        while (reader.events.length > 0) yield /** @type {JobEvent} */ (reader.events.shift());
        if (this.error !== null) throw this.error;
        if (this.#over) return;
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  async #follow(signal) {
    for (; !signal.aborted; this.#failures += 1) {
      this.#become("connecting");
      const wait = await this.#visit(signal).catch((error) => { if (error instanceof WatchError) throw error; });
      if (wait === 0 || signal.aborted) continue;
      this.#become("waiting");
      await pause(wait ?? backoff(this.#failures, this.#retry), signal);
    }
  }

  /** One connection; returns the milliseconds until the next if the server has a wish. */
  async #visit(signal) {
    const cut = new AbortController();
    signal.addEventListener("abort", () => cut.abort(), { signal: cut.signal });
    const watchdog = () => setTimeout(() => cut.abort(), 2_500 * this.#options.keepalive);
    let timer = watchdog();
    try {
      const response = await this.#request(cut.signal);
      if (!/^text\/event-stream/.test(response.headers.get("content-type") ?? "")) return await this.#refused(response);
      this.#become("live");
      const [parser, stream] = [new Parser(), /** @type {ReadableStream} */ (response.body).getReader()];
      for (let group = [], chunk; !(chunk = await stream.read()).done; clearTimeout(timer), timer = watchdog()) {
        for (const { id, event, data } of parser.feed(chunk.value)) {
          this.#retry = parser.retry ?? this.#retry;
          if (event === "reconnect" || (event === "error" && id === null)) {
            // Sent away, which is not the end. Back at once, unless we just were.
            this.#token = undefined;
            return this.#failures < 0 ? 0 : undefined;
          }
          this.#failures = -1;
          if (event === "keepalive") this.#tell({});
          else group.push({ id, event, data: JSON.parse(data) });
          // Frames without an id belong to the next one that has one, and count from then on.
          if (id !== null) this.#commit(group.splice(0));
        }
      }
    } finally {
      clearTimeout(timer);
      cut.abort();
    }
  }

  async #request(signal) {
    const { token, after, credentials } = this.#options;
    const url = new URL(this.#url);
    const cursor = this.#transcript.position ?? after;
    if (cursor) url.searchParams.set("last_event_id", cursor);
    for (let asked = false; ; asked = true) {
      this.#token ??= typeof token === "function" ? await token() : token;
      const headers = { Accept: "text/event-stream", ...(this.#token && { Authorization: `Bearer ${this.#token}` }) };
      const response = await fetch(url, { headers, credentials, signal, cache: "no-store" });
      if (asked || typeof token !== "function" || ![401, 403].includes(response.status)) return response;
      this.#token = undefined;
    }
  }

  async #refused(response) {
    const { status, headers } = response;
    if (status === 204) return this.#become("ended");
    if (status >= 500 || status === 429) return 1_000 * (1 + Math.random()) * headers.get("retry-after") || undefined;
    throw Object.assign(new WatchError(`${this.#place}: ${status} ${await response.text()}`), { status });
  }

  #commit(events) {
    const [previous, last] = [this.#transcript.position, events.at(-1)];
    const lead = this.#transcript.lead(last.id);
    if (!(lead > 0)) return;
    // Only tokens are put together; and another epoch may go on where the former was.
    const isWhole = events.some(({ event }) => event === "token_recovery");
    if (previous !== null && lead > 1 && (isWhole || (last.event !== "token" && lead < Infinity))) last.gap = true;
    for (const event of events) this.#transcript.apply(event);
    for (const reader of this.#readers) reader.events.push(...events);
    this.#tell({ previous, events });
    if (this.#transcript.ended) this.#become("ended");
    else this.#changed();
  }

  #become(state, error = null) {
    if (this.#over || state === this.state) return;
    Object.assign(this, { state, error });
    if (this.#over) {
      clearTimeout(this.#patience);
      this.#turn.abort();
      this.#channel?.close();
    } else this.#tell({});
    this.#changed();
  }

  #changed() {
    for (const reader of this.#readers) reader.wake();
    queueMicrotask(() => this.onchange?.());
  }

  // One connection for all tabs: whoever holds the lock has it, and tells the others what it hears.

  async #takeTurns(name) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    for (let steal = false; !this.#over; this.#leads = false) {
      this.#listen();
      const { signal } = (this.#turn = new AbortController());
      const lead = () => {
        clearTimeout(this.#patience);
        this.#leads = this.#synced = true;
        return this.#follow(signal);
      };
      await navigator.locks.request(name, steal ? { steal } : { signal }, lead).catch((error) => {
        if (error instanceof WatchError) throw error;
        return error.name === "AbortError" ? undefined : lead(); // in a sandbox nobody may have it, so each leads
      });
      steal = signal.aborted; // by our own impatience; if not, the lock was taken from us
      this.#turn.abort();
    }
  }

  #tell(message) {
    if (this.#leads) this.#channel.postMessage({ state: this.state, ...message });
  }

  /** Wait for the word of the tab that leads; if none comes, it hangs, and we take its place. */
  #listen() {
    if (!this.#synced) this.#channel.postMessage({ ask: this.#tab });
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => this.#turn.abort(), (this.#synced ? 8_000 : 400) * this.#options.keepalive);
  }

  #hear({ ask, to, state, previous, events }) {
    if (this.#leads && ask) this.#tell({ to: ask, events: this.#transcript.summary() });
    if (this.#leads || ask || (to && to !== this.#tab)) return;
    const isNew = events?.length > 0 && this.#transcript.lead(events.at(-1).id) > 0;
    const follows = to === this.#tab || previous === this.#transcript.position;
    this.#synced = to === this.#tab || (this.#synced && (follows || !isNew));
    this.#listen();
    this.#become(state);
    if (this.#synced && isNew) this.#commit(events);
  }
}
