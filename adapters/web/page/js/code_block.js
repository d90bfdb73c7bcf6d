/** Code with numbered, coloured lines. What was copied is what was written. */

import { el } from "./dom.js";
import { byLine, tokens } from "./highlight.js";
import { visible } from "./visible.js";

/** Code of people's own messages is folded above so many lines; code that waits for approval never is. */
const FOLDS_ABOVE = 32;
const FOLDED_TO = 20;

/** Which folded blocks the reader has opened; rows come and go. @type {Set<string>} */
const opened = new Set();

/**
 * @typedef {object} CodeView
 * @property {string} code
 * @property {string} language
 * @property {string} [title] in a bar above, with a button that copies
 * @property {number} [firstLine]
 * @property {number} [leftOut] lines missing after it
 * @property {string} [foldKey] may be folded, under this name
 */

/** @param {CodeView} view @returns {HTMLElement} */
export function codeBlock(view) {
  const first = view.firstLine ?? 1;
  const code = view.code.replace(/\n$/, "");
  const lines = byLine(tokens(code, view.language));
  const isFolded = view.foldKey !== undefined && lines.length > FOLDS_ABOVE && !opened.has(view.foldKey);
  const shown = isFolded ? lines.slice(0, FOLDED_TO) : lines;
  const block = el("div", { class: lines.length > 1 || first > 1 || !view.title ? "code numbered" : "code" });
  block.style.setProperty("--digits", String(Math.max(2, String(first + lines.length).length)));
  if (view.title) block.append(bar(view.title, view.code));
  block.append(el("pre", {}, el("code", {}, ...shown.map((line, at) => lineOf(line, first + at)))));
  if (isFolded) {
    const more = el("button", { type: "button", class: "more" }, `Show all ${lines.length} lines`);
    more.addEventListener("click", () => {
      opened.add(/** @type {string} */ (view.foldKey));
      block.replaceWith(codeBlock(view));
    });
    block.append(more);
  }
  if (view.leftOut) block.append(el("div", { class: "left-out" }, `… ${view.leftOut} ${view.leftOut === 1 ? "line" : "lines"} left out …`));
  return block;
}

/** @param {import("./highlight.js").Token[]} line @param {number} number */
function lineOf(line, number) {
  const pieces = line.flatMap(([kind, text]) => (kind ? [el("span", { class: `t-${kind}` }, ...visible(text))] : visible(text)));
  return el("span", { class: "line", "data-n": number }, ...pieces);
}

/** @param {string} title @param {string} code */
function bar(title, code) {
  const copy = el("button", { type: "button", class: "bare" }, "Copy");
  copy.addEventListener("click", async () => {
    copy.textContent = (await copied(code)) ? "Copied" : "Not allowed";
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  });
  return el("div", { class: "about" }, el("span", {}, ...visible(title)), copy);
}

/** @param {string} text @returns {Promise<boolean>} */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
