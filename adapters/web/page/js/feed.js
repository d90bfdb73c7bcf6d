/**
 * A list of messages of which only those in view are in the tree.
 *
 * Rows in view lie in normal flow between two paddings that stand for the rest. Heights are estimated until measured.
 * What the reader looks at stays where it is: at the end of the list the end, elsewhere the first row in view.
 */

import { el } from "./dom.js";
import { Heights } from "./heights.js";
import { Roving } from "./roving.js";
import { Row } from "./row.js";

/**
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./row.js").Surroundings} Surroundings
 *
 * @typedef {object} Source
 * @property {Message[]} items
 * @property {(index: number) => Surroundings} around
 */

const OVERSCAN_PX = 600;
const AT_END_PX = 40;
const NEAR_TOP_PX = 1500;

export class Feed {
  /**
   * @param {import("./row.js").Acts} acts
   * @param {{label: string, onNearTop?: () => void, onSeen?: () => void, onKey?: (event: KeyboardEvent, message: Message) => void}} options
   */
  constructor(acts, options) {
    this.acts = acts;
    this.options = options;
    /** @type {Source} */
    this.source = { items: [], around: () => { throw new Error("empty"); } };
    this.list = el("div", { class: "rows", role: "feed", "aria-label": options.label });
    this.scroller = el("div", { class: "feed", tabindex: -1 }, this.list);
    this.jump = el("button", { type: "button", class: "jump primary", hidden: true }, "Newest ↓");
    this.jump.addEventListener("click", () => this.toEnd());
    this.element = el("div", { class: "feed-box" }, this.scroller, this.jump);
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** @type {Map<string, number>} */
    this.measured = new Map();
    this.heights = new Heights([]);
    this.structure = { length: -1, first: "", last: "" };
    this.sticks = true;
    /** @type {{id: string, top: number} | null} */
    this.anchor = null;
    this.roving = new Roving(this, options.onKey);
    this.expectedTop = 0;
    this.frame = 0;
    this.scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.resizes = new ResizeObserver((entries) => this.#resized(entries));
    this.resizes.observe(this.scroller);
  }

  /** @param {Source} source */
  show(source) {
    this.source = source;
    for (const row of this.rows.values()) this.#drop(row);
    this.rows.clear();
    this.measured.clear();
    this.structure.length = -1;
    this.sticks = true;
    this.anchor = null;
    this.roving.active = "";
    this.draw();
  }

  /** Draw before the next frame, however often it is asked for. */
  schedule() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  toEnd() {
    this.sticks = true;
    this.draw();
  }

  /** @param {string} id @param {boolean} [focus] @returns {boolean} whether it is in the list */
  reveal(id, focus = true) {
    const index = this.source.items.findIndex((item) => item.id === id);
    if (index < 0) return false;
    this.sticks = false;
    this.#restructure();
    const middle = Math.max(0, (this.scroller.clientHeight - this.heights.values[index]) / 2);
    this.anchor = { id, top: middle };
    this.#scrollTo(this.heights.before(index) - middle);
    this.draw();
    this.sticks = this.#isAtEnd();
    this.jump.hidden = this.sticks;
    if (focus) this.roving.focus(id);
    return true;
  }

  end() {
    cancelAnimationFrame(this.frame);
    this.resizes.disconnect();
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.#restructure();
    for (let turn = 0; turn < 4; turn += 1) {
      this.#fill();
      const hasMoved = this.#measure();
      this.#keepPlace();
      if (!hasMoved) break;
    }
    this.#afterwards();
  }

  /** Estimate or recall every height, if messages came or went. */
  #restructure() {
    const { items } = this.source;
    const structure = { length: items.length, first: items[0]?.id ?? "", last: items.at(-1)?.id ?? "" };
    const old = this.structure;
    if (old.length === structure.length && old.first === structure.first && old.last === structure.last) return;
    this.structure = structure;
    this.heights = new Heights(items.map((item) => this.measured.get(item.id) ?? estimate(item)));
  }

  /** Put the rows in view into the tree, and take the others out. */
  #fill() {
    const { items, around } = this.source;
    const top = this.sticks ? this.heights.total - this.scroller.clientHeight : this.#wantedTop();
    const first = this.heights.at(Math.max(0, top - OVERSCAN_PX));
    const last = items.length ? this.heights.at(Math.max(0, top) + this.scroller.clientHeight + OVERSCAN_PX) : -1;
    const wanted = new Set();
    for (let index = first; index <= last; index += 1) wanted.add(items[index].id);
    for (const [id, row] of this.rows) {
      if (wanted.has(id)) continue;
      if (row.element.contains(document.activeElement)) this.scroller.focus({ preventScroll: true });
      this.#drop(row);
      this.rows.delete(id);
    }
    /** @type {Element | null} */
    let place = this.list.firstElementChild;
    for (let index = first; index <= last; index += 1) {
      const item = items[index];
      let row = this.rows.get(item.id);
      if (!row) {
        row = new Row(item, this.acts);
        this.rows.set(item.id, row);
        this.resizes.observe(row.element);
      }
      row.update(item, around(index));
      if (place === row.element) place = place.nextElementSibling;
      else this.list.insertBefore(row.element, place);
    }
    this.list.hidden = items.length === 0;
    this.list.style.paddingTop = `${this.heights.before(first)}px`;
    this.list.style.paddingBottom = `${Math.max(0, this.heights.total - this.heights.before(last + 1))}px`;
  }

  /** @param {Row} row */
  #drop(row) {
    this.resizes.unobserve(row.element);
    row.element.remove();
  }

  /** @returns {boolean} whether a row has another height than was thought */
  #measure() {
    let hasChanged = false;
    this.source.items.length && this.#eachInView((row, index) => {
      const height = row.element.getBoundingClientRect().height;
      this.measured.set(row.message.id, height);
      if (Math.abs(height - this.heights.values[index]) < 0.5) return;
      this.heights.set(index, height);
      hasChanged = true;
    });
    return hasChanged;
  }

  /** @param {(row: Row, index: number) => void} visit */
  #eachInView(visit) {
    const { items } = this.source;
    const first = this.list.firstElementChild?.getAttribute("data-id");
    let index = items.length - 1;
    if (first) {
      const known = this.rows.get(first);
      index = known ? Number(known.element.getAttribute("aria-posinset")) - 1 : 0;
    }
    for (let element = this.list.firstElementChild; element; element = element.nextElementSibling) {
      const row = this.rows.get(element.getAttribute("data-id") ?? "");
      if (row) visit(row, index);
      index += 1;
    }
  }

  #keepPlace() {
    if (this.sticks) this.#scrollTo(this.scroller.scrollHeight - this.scroller.clientHeight);
    else if (this.anchor) {
      const row = this.rows.get(this.anchor.id);
      if (row) this.#scrollTo(row.element.offsetTop - this.anchor.top);
    }
  }

  /** Where the anchor would be now, by the heights that are known. */
  #wantedTop() {
    const row = this.anchor && this.rows.get(this.anchor.id);
    if (row || !this.anchor) return this.scroller.scrollTop;
    const index = this.source.items.findIndex((item) => item.id === this.anchor?.id);
    return index < 0 ? this.scroller.scrollTop : this.heights.before(index) - this.anchor.top;
  }

  /** @param {number} top */
  #scrollTo(top) {
    if (Math.abs(this.scroller.scrollTop - top) >= 1) this.scroller.scrollTop = top;
    this.expectedTop = this.scroller.scrollTop;
  }

  #scrolled() {
    if (Math.abs(this.scroller.scrollTop - this.expectedTop) < 1) return;
    this.expectedTop = this.scroller.scrollTop;
    this.sticks = this.#isAtEnd();
    this.#takeAnchor();
    this.schedule();
  }

  #isAtEnd() {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < AT_END_PX;
  }

  /** Before the next paint: a picture that has come, or a window that is another size, moves nothing the reader looks at. @param {ResizeObserverEntry[]} entries */
  #resized(entries) {
    const hasChanged = entries.some(({ target, borderBoxSize }) => {
      const id = target.getAttribute("data-id");
      return id === null || Math.abs((this.measured.get(id) ?? 0) - borderBoxSize[0].blockSize) >= 0.5;
    });
    if (hasChanged) this.draw();
  }

  #takeAnchor() {
    const top = this.scroller.scrollTop;
    this.anchor = null;
    for (let element = this.list.firstElementChild; element instanceof HTMLElement; element = /** @type {HTMLElement | null} */ (element.nextElementSibling)) {
      if (element.offsetTop + element.offsetHeight <= top) continue;
      this.anchor = { id: element.dataset.id ?? "", top: element.offsetTop - top };
      return;
    }
  }

  #afterwards() {
    if (!this.sticks && !this.anchor) this.#takeAnchor();
    this.jump.hidden = this.sticks;
    this.roving.look();
    if (this.scroller.scrollTop < NEAR_TOP_PX) this.options.onNearTop?.();
    if (this.sticks) this.options.onSeen?.();
  }
}

/** @param {Message} message @returns {number} about how high it will be */
function estimate(message) {
  let lines = 0;
  for (const part of message.blocks) lines += Math.min(34, 1 + Math.floor(part.text.length / 90) + part.text.split("\n").length);
  return 44 + lines * 19 + (message.buttons.length ? 34 : 0) + (message.files.length ? 90 : 0);
}
