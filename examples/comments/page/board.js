// @ts-check
/** The page: all posts, each with its comments as they are written. */

import { commentMany, follow, publish } from "./api.js";
import { PostCard } from "./post.js";
import { me, name, part, problem, rememberMe, say } from "./around.js";

const many = /** @type {HTMLButtonElement} */ (part("many"));
const title = /** @type {HTMLInputElement} */ (part("title"));
/** How many comments the button writes to how many posts. */
const [EACH, POSTS] = [20, 3];

/** @type {Map<number, PostCard>} */ const cards = new Map();

function take(/** @type {import("./api.js").Post} */ told) {
  let card = cards.get(told.id);
  if (card === undefined) {
    card = new PostCard(told);
    cards.set(told.id, card);
    const next = [...cards.values()].filter((other) => other.told.id > told.id).sort((one, other) => one.told.id - other.told.id)[0];
    part("posts").insertBefore(card.element, next?.element ?? null);
  }
  card.take(told);
  many.disabled = open().length === 0;
}

/** Posts that the button writes to. */
function open() {
  return [...cards.values()].map((card) => card.told).filter((told) => !told.closed).sort((one, other) => one.id - other.id).slice(0, POSTS);
}

async function writeMany() {
  many.disabled = true;
  const posts = open();
  const numbers = Array.from({ length: EACH }, (_, number) => number + 1);
  const drafts = numbers.flatMap((number) => posts.map((post) => ({ post_id: post.id, author: me(), text: `${number} of ${EACH}` })));
  await commentMany(drafts).then(() => problem(null), problem);
  many.disabled = false;
}

name.onchange = () => {
  rememberMe();
  for (const card of cards.values()) card.draw();
};

many.onclick = writeMany;
part("publish").onsubmit = async (event) => {
  event.preventDefault();
  const text = title.value.trim();
  if (text === "") return;
  title.value = "";
  await publish(text).then(() => problem(null), problem);
};

follow(take, (away) => say(part("connection"), away ? "Reconnecting…" : ""));
