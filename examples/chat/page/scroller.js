// @ts-check
/** Stays at the end of what grows, unless the reader has gone back; then a button leads there. */

/** Pixels from the end that count as the end. */
const NEAR = 48;

export class Scroller {
  #element; #button; #atEnd = true; #top = 0;

  /** @param {HTMLElement} element @param {HTMLElement} button */
  constructor(element, button) {
    [this.#element, this.#button] = [element, button];
    element.addEventListener("scroll", () => this.#look(), { passive: true });
    button.addEventListener("click", () => this.toEnd());
    new ResizeObserver(() => this.follow()).observe(element);
  }

  /** Go to the end, and stay there. */
  toEnd() {
    this.#atEnd = true;
    this.follow();
  }

  /** Something has grown. */
  follow() {
    // Whoever has just gone back is not held, even before the browser tells of it.
    if (this.#element.scrollTop < this.#top) this.#look();
    if (this.#atEnd) this.#element.scrollTop = this.#element.scrollHeight;
    this.#look();
  }

  #look() {
    const { scrollTop, scrollHeight, clientHeight } = this.#element;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < NEAR;
    this.#button.hidden = this.#atEnd;
    this.#top = scrollTop;
  }
}
