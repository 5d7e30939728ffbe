// Keys: g and a letter go to a page, / searches, p pauses, t changes colours, ? tells them all.
import { nextTheme } from "./themes.js";

const PATIENCE = 1500;

export function startKeys(live) {
  const list = document.getElementById("keys");
  let goingUntil = 0;

  const isTyping = (element) => element.closest("input, textarea, select, [contenteditable]") !== null;

  function go(key) {
    document.querySelector(`nav a[data-key="${CSS.escape(key)}"]`)?.click();
  }

  const ACTIONS = {
    "/": () => [...document.querySelectorAll("main [data-find], [data-find]")].at(0)?.focus(),
    "?": () => list.showModal(),
    g: () => (goingUntil = performance.now() + PATIENCE),
    p: () => live.toggle(),
    t: nextTheme,
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isTyping(event.target)) event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (performance.now() < goingUntil) {
      goingUntil = 0;
      go(event.key);
      event.preventDefault();
      return;
    }
    const action = ACTIONS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-show-keys]")) list.showModal();
  });
}
