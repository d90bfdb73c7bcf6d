/** The parts of a message. A part that is there already is patched, so that a growing output neither jumps nor loses a selection. */

import { codeBlock } from "./code_block.js";
import { el } from "./dom.js";
import { partsOf } from "./fences.js";
import { glyphIcon } from "./icons.js";
import { localTimes } from "./time.js";
import { visible } from "./visible.js";

/** @typedef {import("./types.js").Part} Part @typedef {import("./types.js").Message} Message */

/** What an element shows now. @type {WeakMap<Element, Part>} */
const shown = new WeakMap();

/** @param {HTMLElement} body @param {Message} message */
export function drawParts(body, message) {
  message.blocks.forEach((part, index) => {
    const element = body.children[index];
    const before = element && shown.get(element);
    if (before && same(before, part)) return;
    if (before && patch(element, before, part)) shown.set(element, part);
    else {
      const fresh = draw(part, message, index);
      shown.set(fresh, part);
      if (element) element.replaceWith(fresh);
      else body.append(fresh);
    }
  });
  while (body.children.length > message.blocks.length) body.lastElementChild?.remove();
}

/** @param {Part} one @param {Part} other */
function same(one, other) {
  return one.kind === other.kind && one.text === other.text && one.glyph === other.glyph && one.language === other.language && one.left_out === other.left_out && one.first_line === other.first_line;
}

/** @param {Element} element @param {Part} before @param {Part} part @returns {boolean} whether that was possible */
function patch(element, before, part) {
  if (before.kind !== part.kind) return false;
  if (part.kind === "headline" && before.glyph === part.glyph) {
    element.lastElementChild?.replaceChildren(...visible(part.text, false));
    return true;
  }
  if (part.kind !== "output") return false;
  const pre = /** @type {HTMLElement} */ (element.firstElementChild);
  const [old, now] = [trimmed(before.text), trimmed(part.text)];
  if (now.startsWith(old)) pre.append(...visible(now.slice(old.length), false));
  else pre.replaceChildren(...visible(now, false));
  return true;
}

/** @param {Part} part @param {Message} message @param {number} index @returns {HTMLElement} */
function draw(part, message, index) {
  switch (part.kind) {
    case "headline": {
      const { drawing, tone } = glyphIcon(part.glyph ?? "");
      return el("div", { class: `headline ${tone}` }, drawing, el("span", {}, ...visible(localTimes(part.text, message.created_at), false)));
    }
    case "code":
      return codeBlock({ code: part.text, language: part.language ?? "", firstLine: part.first_line, leftOut: part.left_out });
    case "output":
      return el("div", { class: "output" }, el("pre", {}, ...visible(trimmed(part.text), false)));
    case "note":
      return el("p", { class: "note" }, ...visible(localTimes(part.text, message.created_at), false));
    default:
      return el("div", { class: "written" }, ...text(part.text, `${message.id}:${index}`));
  }
}

/** @param {string} output */
const trimmed = (output) => output.replace(/\n$/, "");

/** @param {string} written @param {string} key @returns {HTMLElement[]} prose and fences */
function text(written, key) {
  return partsOf(written).map((part, index) => {
    if (part.kind === "prose") return el("div", { class: "prose" }, ...inline(part.text));
    const language = part.info.split(/\s/)[0];
    return codeBlock({ code: part.code, language, title: part.info || "no language", foldKey: `${key}:${index}` });
  });
}

/** @param {string} prose @returns {(Node | string)[]} with `code` between single ticks on one line */
function inline(prose) {
  return prose.split(/(`[^`\n]+`)/).map((piece) => (/^`[^`\n]+`$/.test(piece) ? el("code", {}, ...visible(piece.slice(1, -1))) : piece));
}
