// What every page does.
import { startConfirming } from "./confirming.js";
import { startForms } from "./forms.js";
import { startKeys } from "./keys.js";
import { startLive } from "./live.js";
import { startThemes } from "./themes.js";
import { startToasts } from "./toasts.js";

// What a person is typing, and what they have opened, stays as it is when a part of the page is renewed.
window.Idiomorph.defaults.ignoreActiveValue = true;
window.Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
  !(name === "open" && (node.nodeName === "DETAILS" || node.nodeName === "DIALOG"));

startToasts();
startConfirming();
startForms();
startThemes();
const live = startLive();
startKeys(live);

document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
