// The text of a job while it is written, and word to the rest of the page when anything else happens to it.
// What jobs write is shown as text, never as markup.
import { watch } from "../goatherd.js";

const OFTEN_ENOUGH = 400;
const LONGEST = 200_000;
// Milliseconds after which a tab that nobody sees lets go of its connection: a browser has only six for all its tabs.
const UNSEEN_FOR = 5000;
const WORDS = {
  connecting: "connecting…",
  live: "live",
  waiting: "the connection is lost; trying again…",
  ended: "all of it",
  failed: "cannot be watched",
  closed: "not live",
};

function start(box) {
  const state = document.querySelector("[data-watch-state]");
  const words = state.querySelector("span");
  let job = null;
  let leaving = 0;
  let shown = box.textContent;
  let last = null;
  let toldAt = 0;
  let telling = 0;
  let drawing = 0;

  function tellOthers() {
    // Not for each of a hundred events in a second.
    if (telling) return;
    const wait = Math.max(0, toldAt + OFTEN_ENOUGH - performance.now());
    telling = setTimeout(() => {
      telling = 0;
      toldAt = performance.now();
      document.body.dispatchEvent(new Event("happened"));
    }, wait);
  }

  function write() {
    drawing = 0;
    const text = job.text;
    const follows = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    if (text !== shown && job.last !== null) {
      const isMore = text.startsWith(shown) && text.length <= LONGEST && box.firstChild;
      if (isMore) box.firstChild.appendData(text.slice(shown.length));
      else box.textContent = text.slice(-LONGEST);
      shown = text;
      if (follows) box.scrollTop = box.scrollHeight;
    }
    if (job.last !== last) {
      last = job.last;
      tellOthers();
    }
    const now = words.textContent;
    const wanted = job.state === "failed" ? `${WORDS.failed}: ${job.error?.message ?? ""}` : WORDS[job.state];
    if (now !== wanted) words.textContent = wanted;
    state.dataset.state = job.state;
  }

  function follow() {
    job = watch(box.dataset.watch, { share: false, keepalive: Number(box.dataset.keepalive) || 15 });
    job.onchange = () => {
      drawing ||= requestAnimationFrame(write);
    };
  }

  follow();
  document.addEventListener("visibilitychange", () => {
    clearTimeout(leaving);
    if (document.hidden) leaving = setTimeout(() => job.close(), UNSEEN_FOR);
    else if (job.state === "closed") follow();
  });
  // A page that is left takes its connection with it, also where it is kept to be gone back to.
  addEventListener("pagehide", () => job.close(), { once: true });
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}

for (const box of document.querySelectorAll("[data-watch]")) start(box);
