/** What one person alone is told, for a while: seen in a corner, and read aloud. */

import { el, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { visible, visibleText } from "./visible.js";

const STAYS_MS = 9000;
const MOST = 4;

/** @param {string} id */
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} text @param {Node[]} [more] */
export function tell(text, more = []) {
  show(text, more, "");
  say(text);
}

/** A no: it interrupts whoever listens. @param {string} text */
export function refuse(text) {
  show(text, [], " no");
  announce("alerts", text);
}

/** For those who hear the page, without a toast. @param {string} text */
export function say(text) {
  announce("said", text);
}

/** @param {string} id @param {string} text */
function announce(id, text) {
  const region = place(id);
  region.textContent = "";
  setTimeout(() => (region.textContent = visibleText(text)), 30); // a change is read, the same text again is not
}

/** @param {string} text @param {Node[]} more @param {string} style */
function show(text, more, style) {
  const box = place("toasts");
  const words = el("div", { class: "say" }, ...visible(text, false), ...more);
  for (const other of [...box.children]) if (other.firstElementChild?.textContent === words.textContent) other.remove();
  const toast = el("div", { class: `toast${style}` }, words);
  const close = iconButton(icon("close"), "Close", { onclick: () => toast.remove() });
  toast.append(close);
  let timer = setTimeout(() => toast.remove(), STAYS_MS);
  toast.addEventListener("pointerenter", () => clearTimeout(timer));
  toast.addEventListener("pointerleave", () => (timer = setTimeout(() => toast.remove(), STAYS_MS / 3)));
  box.append(toast);
  while (box.children.length > MOST) box.firstElementChild?.remove();
}

/** @returns {boolean} whether there was one */
export function dismiss() {
  const last = place("toasts").lastElementChild;
  last?.remove();
  return Boolean(last);
}
