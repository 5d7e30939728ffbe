// Renew the parts of the page that have data-live, every so many seconds: not in a tab that nobody sees, not while the
// last answer is awaited, and less often while the server does not answer.
const LONGEST_WAIT = 30;

export function startLive() {
  const due = new WeakMap();
  const asked = new WeakSet();
  let failures = 0;
  let paused = false;

  const parts = () => document.querySelectorAll("[data-live]");
  const isBusy = (part) => part.contains(document.activeElement) && document.activeElement.matches("select, textarea");

  function renew(part) {
    if (asked.has(part)) return;
    const every = Number(part.dataset.live);
    due.set(part, performance.now() + 1000 * Math.min(LONGEST_WAIT, every * 2 ** Math.min(failures, 5)));
    asked.add(part);
    window.htmx.trigger(part, "live");
  }

  function tick() {
    if (paused || document.hidden) return;
    for (const part of parts()) {
      if (!due.has(part)) due.set(part, performance.now() + 1000 * Number(part.dataset.live));
      else if (performance.now() >= due.get(part) && !isBusy(part)) renew(part);
    }
  }

  function renewAll() {
    for (const part of parts()) renew(part);
  }

  function tell(words) {
    const banner = document.getElementById("connection");
    banner.textContent = words;
    banner.hidden = !words;
  }

  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.elt.matches?.("[data-live]")) return;
    asked.delete(event.detail.elt);
    if (event.detail.successful) {
      if (failures) tell("");
      failures = 0;
      return;
    }
    failures += 1;
    const status = event.detail.xhr.status;
    if (status === 401) tell("You are signed out. Load this page again to sign in.");
    else if (status) tell(`This page is not up to date: ${event.detail.xhr.responseText.slice(0, 300)}`);
    else tell("The dashboard does not answer. What you see is what was known last.");
  });
  // Somebody did something and wants to see it; or something happened by itself.
  document.body.addEventListener("changed", renewAll);
  document.body.addEventListener("happened", () => document.hidden || paused || renewAll());
  document.addEventListener("visibilitychange", () => document.hidden || paused || renewAll());
  setInterval(tick, 250);

  function toggle() {
    paused = !paused;
    for (const button of document.querySelectorAll("[data-live-switch]")) {
      button.setAttribute("aria-pressed", String(paused));
      button.title = paused ? "Live updates are paused" : "Pause live updates";
    }
    if (!paused) renewAll();
  }
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-live-switch]")) toggle();
  });
  return { toggle };
}
