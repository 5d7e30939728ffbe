// @ts-check
/**
 * What comments-api can be asked for.
 *
 * @typedef {{id: string, number: number, author: string, text: string, state: string, tries: number, told: string,
 *   worker: string, begun: number | null, ended: number | null, place: number | null, edits: number,
 *   version: number}} Told a comment, from its submission on
 * @typedef {{id: number, title: string, body: string, likes: number, closed: boolean, written: number,
 *   waiting: number, version: number, entries: Told[]}} Post a post, and those of its comments that have changed
 */

/** Seconds after which an answer is no longer awaited. */
const PATIENCE = 30;

/** @param {number} post @param {string} author @param {string} text */
export const comment = (post, author, text) => request("POST", `posts/${post}/comments`, { author, text });

/** Each post takes its own in this order. @param {{post_id: number, author: string, text: string}[]} comments */
export const commentMany = (comments) => request("POST", "comments", { comments });

/** @param {number} post @param {string} id @param {string} text */
export const edit = (post, id, text) => request("PATCH", `posts/${post}/comments/${id}`, { text });

/** @param {number} post @param {string} who @param {boolean} liked */
export const like = (post, who, liked) => request("PUT", `posts/${post}/likes/${encodeURIComponent(who)}`, { liked });

/** @param {number} post @param {boolean} closed */
export const close = (post, closed) => request("PUT", `posts/${post}/closed`, { closed });

/** What an operator does with the comment that a post waits for. @param {number} post @param {"retry" | "skip"} what */
export const operate = (post, what) => request("POST", `posts/${post}/lane`, { do: what });

/** @param {string} title */
export const publish = (title) => request("POST", "posts", { title });

/**
 * Be told of all posts, and then of every change; a connection that is lost is made again.
 * @param {(post: Post) => void} take @param {(away: boolean) => void} away
 */
export function follow(take, away) {
  const stream = new EventSource(new URL("api/v1/live", document.baseURI));
  stream.addEventListener("post", (event) => take(JSON.parse(event.data)));
  stream.onopen = () => away(false);
  stream.onerror = () => {
    away(true);
    // It tries again by itself, unless it was refused.
    if (stream.readyState === EventSource.CLOSED) setTimeout(() => follow(take, away), 2_000);
  };
}

async function request(/** @type {string} */ method, /** @type {string} */ path, /** @type {object} */ body) {
  const options = { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(1_000 * PATIENCE);
  const response = await fetch(new URL(`api/v1/${path}`, document.baseURI), { ...options, signal }).catch(() => {
    throw new Error("The board cannot be reached.");
  });
  const told = await response.json().catch(() => ({}));
  if (response.ok) return told;
  throw new Error(told.error ?? `The board answered with status ${response.status}.`);
}
