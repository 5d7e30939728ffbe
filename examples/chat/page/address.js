// @ts-check
/** Which chat this page shows: the one in its address, else the last one of this browser, else a new one. */

const REMEMBERED = "chat";
const ID = /^[\w-]{1,64}$/;

/** @returns {string} */
export function chatInAddress() {
  const [written, last] = [location.hash.slice(1), remembered()];
  const id = ID.test(written) ? written : ID.test(last) ? last : newChat();
  if (id !== written) history.replaceState(null, "", `#${id}`);
  remember(id);
  return id;
}

/** An id that nobody can guess: whoever knows it can read the chat. */
export function newChat() {
  // Not randomUUID, which pages have only from https or from this machine.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Show another chat; "back" leads to this one. */
export function goTo(/** @type {string} */ id) {
  location.hash = id;
}

// A browser may be told to keep nothing; then the address alone knows.

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED) ?? "";
  } catch {
    return "";
  }
}

function remember(/** @type {string} */ id) {
  try {
    localStorage.setItem(REMEMBERED, id);
  } catch {
    // It is in the address.
  }
}
