/** One row of a list is reached by Tab, the arrows (and j and k) move on from there, and keys act on it. */

/** @typedef {import("./types.js").Message} Message */

const PAGE = 8;

export class Roving {
  /** @param {import("./feed.js").Feed} feed @param {((event: KeyboardEvent, message: Message) => void) | undefined} onKey */
  constructor(feed, onKey) {
    this.feed = feed;
    this.onKey = onKey;
    this.active = "";
    feed.scroller.addEventListener("focusin", (event) => this.#focused(event));
    feed.scroller.addEventListener("keydown", (event) => this.#key(event));
  }

  /** After the rows have changed: whoever is elsewhere and comes in, comes in at the newest. */
  look() {
    const { feed } = this;
    const isElsewhere = feed.sticks && !feed.scroller.contains(document.activeElement);
    if (isElsewhere || !feed.rows.has(this.active)) this.#activate(feed.source.items.at(-1)?.id ?? "");
  }

  /** @param {string} [id] left out: the active one */
  focus(id = this.active) {
    const row = this.feed.rows.get(id);
    if (!row) return;
    this.#activate(id);
    row.element.focus({ preventScroll: true });
  }

  /** @param {string} id */
  #activate(id) {
    const before = this.feed.rows.get(this.active);
    if (before) before.element.tabIndex = -1;
    this.active = id;
    const now = this.feed.rows.get(id);
    if (now) now.element.tabIndex = 0;
  }

  /** @param {FocusEvent} event */
  #focused(event) {
    const row = event.target instanceof Element ? event.target.closest(".row") : null;
    if (row) this.#activate(row.getAttribute("data-id") ?? "");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return;
    const { items } = this.feed.source;
    const isRow = event.target.classList.contains("row");
    const index = items.findIndex((item) => item.id === this.active);
    const message = items[index];
    if (event.key === "Escape" && !isRow && message) {
      this.focus();
      event.stopPropagation();
      return;
    }
    if (!isRow && event.target !== this.feed.scroller) return;
    const to = {
      j: index + 1, ArrowDown: index + 1, PageDown: index + PAGE, End: items.length - 1,
      k: index - 1, ArrowUp: index - 1, PageUp: index - PAGE, Home: 0,
    }[event.key];
    if (to === undefined) {
      if (message) this.onKey?.(event, message);
      return;
    }
    event.preventDefault();
    this.#step(items[Math.max(0, Math.min(to, items.length - 1))]);
  }

  /** @param {Message | undefined} item */
  #step(item) {
    if (!item) return;
    const row = this.feed.rows.get(item.id);
    const view = this.feed.scroller.getBoundingClientRect();
    const box = row?.element.getBoundingClientRect();
    if (!box || box.top < view.top || box.bottom > view.bottom) this.feed.reveal(item.id, false);
    this.focus(item.id);
  }
}
