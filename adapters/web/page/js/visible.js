/** Characters that hide or turn text around, made visible. For code, output and names, where each character counts. */

import { el } from "./dom.js";

const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Parts of emoji, which output is full of. */
const JOINERS = new Set(["\u200d", "\ufe0e", "\ufe0f"]);

/** @param {string} text @param {boolean} [withJoiners] whether what joins emoji is shown too @returns {(Node | string)[]} */
export function visible(text, withJoiners = true) {
  /** @type {(Node | string)[]} */
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match[0] === "\r" && text[match.index + 1] === "\n") continue;
    if (!withJoiners && JOINERS.has(match[0])) continue;
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push(el("span", { class: "ctl" }, nameOf(match[0])));
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}

/** @param {string} character */
function nameOf(character) {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** @param {string} text @returns {string} the same as plain text, for labels */
export function visibleText(text) {
  return text.replace(HIDDEN, (character) => `<${nameOf(character)}>`);
}

/** @param {string} text @returns {HTMLElement} a name that stays in its place whatever it is made of */
export function name(text) {
  return el("bdi", {}, ...visible(text));
}
