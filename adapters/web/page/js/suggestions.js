/** What could come next: a language after an opening fence, a command after /fencepost. Pure but for the list that it draws. */

import { el, freshId } from "./dom.js";
import { openingOf, fenceAt } from "./fences.js";

/**
 * @typedef {object} Suggestion
 * @property {string} word
 * @property {string} what
 * @property {number} from where in the text it begins to replace
 * @property {string} insert
 * @property {number} caret back from the end of what was put in
 */

/** @type {[string, string][]} */
const LANGUAGES = [
  ["python", "Python 3 with numpy, pandas and matplotlib"],
  ["bash", "Bash with git, jq and coreutils"],
  ["sh", "POSIX shell"],
  ["javascript", "Node.js, where the policy and the image allow it"],
  ["stdin", "standard input of the block before"],
];

/** @type {[string, string][]} */
const COMMANDS = [
  ["help", "what there is"],
  ["status", "what runs, waits and is queued here"],
  ["approvals", "requests that wait for approval"],
  ["approvers", "who may approve"],
  ["history", "the last requests of this channel"],
  ["policy", "the rules of this channel"],
  ["config", "the settings of this channel"],
  ["stop", "end your own executions; leads and admins end all of them"],
  ["halt", "admins: stop and hold everything, everywhere"],
  ["resume", "admins: go on after halt"],
];

/** @param {string} text @param {number} caret @returns {Suggestion[]} */
export function suggestionsAt(text, caret) {
  const start = text.lastIndexOf("\n", caret - 1) + 1;
  const line = text.slice(start, caret);
  if (start === 0 && line.startsWith("/")) return commandsFor(line);
  const opening = openingOf(line);
  const rest = text.slice(caret).split("\n")[0];
  if (!opening || rest || /[\s=]/.test(opening.info) || fenceAt(text, start)) return [];
  const isOpenToTheEnd = fenceAt(text, text.length) !== null;
  return LANGUAGES.filter(([word]) => word.startsWith(opening.info.toLowerCase())).map(([word, what]) => {
    const closing = isOpenToTheEnd ? `\n${opening.mark}` : "";
    return { word, what, from: caret - opening.info.length, insert: `${word}\n${closing}`, caret: closing.length };
  });
}

/** @param {string} line */
function commandsFor(line) {
  if ("/fencepost".startsWith(line)) return [{ word: "/fencepost", what: "commands, answered to you alone", from: 0, insert: "/fencepost ", caret: 0 }];
  const match = /^\/fencepost ([a-z]*)$/.exec(line);
  if (!match) return [];
  return COMMANDS.filter(([word]) => word.startsWith(match[1]) && word !== match[1]).map(([word, what]) => ({ word, what, from: 11, insert: word, caret: 0 }));
}

export class SuggestionList {
  /** @param {HTMLTextAreaElement} area @param {(suggestion: Suggestion) => void} take */
  constructor(area, take) {
    this.area = area;
    this.take = take;
    /** @type {Suggestion[]} */
    this.offered = [];
    this.chosen = 0;
    const id = freshId("suggestions");
    this.element = el("div", { class: "suggestions", role: "listbox", id, "aria-label": "Suggestions", hidden: true });
    area.setAttribute("aria-autocomplete", "list");
    area.setAttribute("aria-controls", id);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  look() {
    const { selectionStart, selectionEnd, value } = this.area;
    this.offer(selectionStart === selectionEnd ? suggestionsAt(value, selectionStart) : []);
  }

  /** @param {Suggestion[]} offered */
  offer(offered) {
    this.offered = offered;
    this.chosen = 0;
    this.element.hidden = offered.length === 0;
    this.element.replaceChildren(
      ...offered.map((one, index) =>
        el("div", { role: "option", id: `${this.element.id}-${index}`, onpointerdown: (/** @type {Event} */ event) => {
          event.preventDefault();
          this.#accept(index);
        } }, el("span", { class: "word" }, one.word), el("span", { class: "what" }, one.what)),
      ),
    );
    this.#mark();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was for the list */
  key(event) {
    if (!this.isOpen) return false;
    const count = this.offered.length;
    if (event.key === "ArrowDown") this.chosen = (this.chosen + 1) % count;
    else if (event.key === "ArrowUp") this.chosen = (this.chosen + count - 1) % count;
    else if (event.key === "Escape") this.offer([]);
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && !event.ctrlKey && !event.metaKey) this.#accept(this.chosen);
    else return false;
    this.#mark();
    return true;
  }

  /** @param {number} index */
  #accept(index) {
    const suggestion = this.offered[index];
    this.offer([]);
    this.take(suggestion);
  }

  #mark() {
    [...this.element.children].forEach((option, index) => {
      option.setAttribute("aria-selected", String(index === this.chosen));
      if (index === this.chosen) option.scrollIntoView({ block: "nearest" });
    });
    if (this.isOpen) this.area.setAttribute("aria-activedescendant", `${this.element.id}-${this.chosen}`);
    else this.area.removeAttribute("aria-activedescendant");
  }
}
