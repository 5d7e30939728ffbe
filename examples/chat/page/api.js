// @ts-check
/**
 * What chat-api can be asked for.
 *
 * @typedef {{job_id: string, stream_url: string, stream_token: string, cancel_url: string}} Accepted
 * @typedef {{job_id: string, message: string, status: string, answer: string, sources: string[], provider: string,
 *   error: string, stream: Accepted | null}} Told a question, and how far its answer is
 */

/** Seconds after which an answer is no longer awaited. */
const PATIENCE = 20;

/** It said no, or nothing; the text says why. `status` is 0 if it could not be reached. */
export class Refused extends Error {
  name = "Refused";
  status = 0;
}

/** @returns {Promise<{provider: string, model: string | null}>} */
export const about = () => request("api/v1/about");

/** All messages of a chat, the oldest first. @returns {Promise<{messages: Told[]}>} */
export const look = (/** @type {string} */ chat) => request(`api/v1/chat/${chat}/messages`);

/** @param {string} chat @param {string} message @returns {Promise<Accepted>} */
export const ask = (chat, message) => request(`api/v1/chat/${chat}/messages`, { message });

/** @param {string} url of the answer @returns {Promise<{cancelled: boolean}>} */
export const cancel = (url) => request(url, {});

async function request(/** @type {string} */ path, /** @type {object | undefined} */ body = undefined) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const signal = AbortSignal.timeout(1_000 * PATIENCE);
  const response = await fetch(new URL(path, document.baseURI), { ...(body && options), signal, cache: "no-store" }).catch(() => {
    throw new Refused("The chat cannot be reached.");
  });
  const told = await response.json().catch(() => ({}));
  if (response.ok) return told;
  const why = told.error ?? `The chat answered with status ${response.status}.`;
  throw Object.assign(new Refused(why), { status: response.status });
}
