/**
 * Where one writes. Enter sends, but within a fence it makes a line; Shift+Enter always makes a line, Ctrl+Enter always
 * sends. Tab within a fence indents.
 */

import { sentence, Unreachable } from "./api.js";
import { Attachments } from "./attachments.js";
import { el, iconButton, setText } from "./dom.js";
import { fenceAt } from "./fences.js";
import { icon } from "./icons.js";
import { SuggestionList } from "./suggestions.js";
import { refuse } from "./toast.js";

/** @typedef {import("./types.js").Message} Message */

/**
 * @typedef {object} ComposerOptions
 * @property {string} label
 * @property {(text: string, files: File[]) => void} send
 * @property {() => Message | undefined} lastOwn for the up arrow
 * @property {string} draftKey
 */

const INDENT = "    ";
const TOUCH = matchMedia("(pointer: coarse)");

export class Composer {
  /** @param {import("./api.js").Api} api @param {ComposerOptions} options */
  constructor(api, options) {
    this.api = api;
    this.options = options;
    /** @type {Message | null} */
    this.editing = null;
    this.attachments = new Attachments();
    this.area = el("textarea", { rows: 1, "aria-label": options.label, placeholder: options.label, maxlength: 262144, spellcheck: "true" });
    this.suggestions = new SuggestionList(this.area, (one) => this.#put(one.from, one.insert, one.caret));
    this.picker = el("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files to attach" });
    this.picker.addEventListener("change", () => {
      this.attachments.add(this.picker.files ?? []);
      this.picker.value = "";
    });
    this.hint = el("span", { class: "hint" });
    this.about = el("span");
    this.banner = el("div", { class: "editing", hidden: true }, this.about, el("button", { type: "button", class: "bare", onclick: () => this.cancel() }, "Cancel"));
    this.button = iconButton(icon("send"), "Send", { class: "primary icon", onclick: () => this.submit() });
    const attach = iconButton(icon("attach"), "Attach files", { onclick: () => this.picker.click() });
    this.element = el(
      "div", { class: "composer" },
      this.suggestions.element,
      el("div", { class: "box" }, this.banner, this.attachments.element, this.area, el("div", { class: "under" }, attach, this.picker, this.hint, this.button)),
    );
    this.area.addEventListener("keydown", (event) => this.#key(event));
    this.area.addEventListener("input", () => {
      overtype(this.area);
      this.#changed();
    });
    this.area.addEventListener("paste", (event) => this.#paste(event));
    this.area.addEventListener("blur", () => this.suggestions.offer([]));
    for (const moved of ["selectionchange", "keyup", "click"]) this.area.addEventListener(moved, () => this.#drawHint());
    this.area.value = sessionStorage.getItem(options.draftKey) ?? "";
    this.#changed();
    this.suggestions.offer([]);
  }

  focus() {
    this.area.focus();
  }

  /** @param {string} text */
  fill(text) {
    this.area.value = text;
    this.#changed();
    this.suggestions.offer([]);
    this.focus();
  }

  /** @param {Message} message */
  edit(message) {
    this.editing = message;
    this.banner.hidden = false;
    setText(this.about, "Editing your message. Esc cancels.");
    this.fill(message.text);
    this.area.setSelectionRange(this.area.value.length, this.area.value.length);
  }

  cancel() {
    if (this.editing) this.area.value = "";
    this.editing = null;
    this.banner.hidden = true;
    this.#changed();
    this.focus();
  }

  submit() {
    const text = closed(this.area.value);
    const { editing } = this;
    if (editing) {
      void this.#amend(editing, text);
      return;
    }
    if (!text.trim() && !this.attachments.files.length) return;
    this.options.send(text, this.attachments.take());
    this.area.value = "";
    this.#changed();
  }

  /** @param {Message} message @param {string} text */
  async #amend(message, text) {
    try {
      const answer = text === message.text ? { status: 200, body: {} } : await this.api.call("PATCH", `/api/messages/${message.id}`, { text });
      if (answer.status >= 400) refuse(sentence(answer));
      else if (this.editing === message) this.cancel();
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      refuse("Fencepost does not answer right now; the edit is still here.");
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    if (this.suggestions.key(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const fence = fenceAt(this.area.value, this.area.selectionStart);
    const sends = event.ctrlKey || event.metaKey || (!event.shiftKey && !fence);
    if (event.key === "Enter" && sends) this.submit();
    else if (event.key === "Enter" && fence && !event.shiftKey) this.#newLine();
    else if (event.key === "Tab" && fence && !event.ctrlKey && !event.altKey) this.#indent(event.shiftKey);
    else if (event.key === "Escape" && this.editing) this.cancel();
    else if (event.key === "ArrowUp" && !this.area.value && !this.editing) {
      const last = this.options.lastOwn();
      if (!last) return;
      this.edit(last);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #newLine() {
    const { value, selectionStart } = this.area;
    const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
    insert(this.area, `\n${indent}${line.trimEnd().endsWith(":") ? INDENT : ""}`);
  }

  /** @param {boolean} isBack */
  #indent(isBack) {
    const { value, selectionStart, selectionEnd } = this.area;
    if (!isBack && selectionStart === selectionEnd) {
      insert(this.area, INDENT);
      return;
    }
    const from = value.lastIndexOf("\n", selectionStart - 1) + 1;
    const lines = value.slice(from, selectionEnd).split("\n");
    const moved = lines.map((line) => (isBack ? line.replace(/^(?: {1,4}|\t)/, "") : line && INDENT + line)).join("\n");
    this.area.setSelectionRange(from, selectionEnd);
    insert(this.area, moved);
    if (selectionStart !== selectionEnd) this.area.setSelectionRange(from, from + moved.length);
  }

  /** @param {number} from @param {string} text @param {number} caret back from its end */
  #put(from, text, caret) {
    this.focus();
    this.area.setSelectionRange(from, this.area.selectionEnd);
    insert(this.area, text);
    const at = this.area.selectionEnd - caret;
    this.area.setSelectionRange(at, at);
    this.suggestions.look();
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    const files = event.clipboardData?.files;
    if (!files?.length) return;
    event.preventDefault();
    this.attachments.add(files);
  }

  #changed() {
    const { area } = this;
    area.classList.toggle("coding", /(?:^|\n) {0,3}(?:```|~~~)/.test(area.value));
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
    if (!this.editing) sessionStorage.setItem(this.options.draftKey, area.value);
    this.suggestions.look();
    this.#drawHint();
  }

  #drawHint() {
    const { value, selectionStart } = this.area;
    const inFence = fenceAt(value, selectionStart) !== null;
    setText(this.hint, inFence ? "In a fence: Enter makes a line, Tab indents, Ctrl+Enter sends" : value ? "Enter sends, Shift+Enter makes a line" : TOUCH.matches ? "``` begins a fence, / a command" : "``` begins a fence, / a command, ↑ edits your last message");
  }
}

/** Who writes the closing fence that was put in for them writes it over that one. @param {HTMLTextAreaElement} area */
function overtype(area) {
  const { value, selectionStart } = area;
  const from = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const line = value.slice(from, selectionStart);
  const open = fenceAt(value, from - 1);
  if (open && line === open.mark && value.slice(selectionStart) === `\n${open.mark}`) area.setRangeText("", selectionStart, value.length, "end");
}

/** Through the browser's own editing where possible, so that undo works. @param {HTMLTextAreaElement} area @param {string} text */
function insert(area, text) {
  area.focus();
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input"));
}

/** @param {string} text @returns {string} with a fence that is open at its end closed */
function closed(text) {
  const open = fenceAt(text, text.length);
  return open ? `${text.replace(/\n$/, "")}\n${open.mark}` : text;
}
