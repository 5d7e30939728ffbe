// @ts-check
/** What stands around the posts: who sits here, and where is said what went wrong. */

const NAMES = ["Heidi", "Peter", "Clara", "Bela", "Nala", "Tariq", "Mei", "Otto"];

export const part = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
export const name = /** @type {HTMLInputElement} */ (part("name"));

/** A copy of a template's first element. @param {string} id @returns {HTMLElement} */
export function copyOf(id) {
  const template = /** @type {HTMLTemplateElement} */ (part(id));
  return /** @type {HTMLElement} */ (/** @type {Element} */ (template.content.firstElementChild).cloneNode(true));
}

/** Who sits here. */
export function me() {
  // A slash would be another path.
  return name.value.replaceAll("/", "-").trim() || "Somebody";
}

/** Say what went wrong, or that nothing does any more. @param {Error | null} error */
export function problem(error) {
  part("problem").hidden = error === null;
  part("problem").textContent = error === null ? "" : error.message;
}

/** Change what an element says, only if it is something else. @param {HTMLElement} element @param {string} text */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function rememberMe() {
  remember("name", me());
}

/** Whether this user has liked a post, here. @param {number} post */
export const likes = (post) => remembered(`likes ${post} ${me()}`) === "yes";

/** @param {number} post @param {boolean} liked */
export const rememberLike = (post, liked) => remember(`likes ${post} ${me()}`, liked ? "yes" : "no");

// A browser may be told to keep nothing; then it is forgotten with the page.

/** @type {Map<string, string>} */ const kept = new Map();

function remember(/** @type {string} */ what, /** @type {string} */ value) {
  kept.set(what, value);
  try {
    localStorage.setItem(what, value);
  } catch { /* it holds for this page */ }
}

function remembered(/** @type {string} */ what) {
  try {
    return localStorage.getItem(what) ?? kept.get(what) ?? "";
  } catch {
    return kept.get(what) ?? "";
  }
}

name.value = remembered("name") || NAMES[Math.floor(Math.random() * NAMES.length)];
