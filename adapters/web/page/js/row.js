/** One message of a list. It is made once and patched from then on. */

import { isSecondHalf } from "./double_click.js";
import { el, freshId, iconButton, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
import { drawParts } from "./parts.js";
import { dayOf, fullTime, isoOf, isSameDay, timeOf } from "./time.js";
import { BOT } from "./types.js";
import { name, visible, visibleText } from "./visible.js";

/**
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./types.js").Button} Button
 *
 * @typedef {object} Surroundings
 * @property {Message | undefined} previous
 * @property {Message | undefined} asked what it answers, if that is known
 * @property {number} replies in its thread; 0 within a thread
 * @property {boolean} isFirstNew
 * @property {boolean} isAimed
 * @property {number} position
 * @property {number} count
 *
 * @typedef {object} Acts what a row can ask for
 * @property {(id: string) => import("./types.js").Person | undefined} person
 * @property {string} me
 * @property {string} botFace address of the bot's picture
 * @property {import("./files.js").Files} files
 * @property {(message: Message, button: Button) => Promise<void>} press
 * @property {(message: Message) => void} edit
 * @property {(message: Message) => void} remove
 * @property {((message: Message) => void) | null} openThread
 * @property {(message: Message) => void} copyLink
 * @property {(id: string) => void} reveal
 */

const SAME_BREATH_S = 300;

export class Row {
  /** @param {Message} message @param {Acts} acts */
  constructor(message, acts) {
    this.acts = acts;
    this.message = message;
    this.drawn = "";
    this.buttons = "";
    this.filesDrawn = "";
    const label = freshId("by");
    this.above = el("div");
    this.head = el("div", { class: "head", id: label });
    this.reply = el("button", { type: "button", class: "reply" });
    this.reply.addEventListener("click", () => this.message.reply_to && acts.reveal(this.message.reply_to));
    this.body = el("div", { class: message.author === BOT ? "body card" : "body" });
    this.files = el("div", { class: "files" });
    this.pressable = el("div", { class: "buttons" });
    this.thread = el("button", { type: "button", class: "thread" });
    this.thread.addEventListener("click", () => acts.openThread?.(this.message));
    this.face = el("div", { class: "face", "aria-hidden": "true" });
    this.tools = el("div", { class: "tools" }, ...this.#tools());
    this.element = el(
      "article",
      { class: "row", tabindex: -1, "aria-labelledby": label, "data-id": message.id },
      this.above,
      el("div", { class: "grid" }, this.face, el("div", {}, this.head, this.reply, this.body, this.files, this.pressable, this.thread)),
      this.tools,
    );
  }

  /** @param {Message} message @param {Surroundings} around */
  update(message, around) {
    this.message = message;
    setAttribute(this.element, "aria-posinset", String(around.position + 1));
    setAttribute(this.element, "aria-setsize", String(around.count));
    const { previous, asked } = around;
    const drawn = [message.cursor, previous?.id, asked?.cursor, around.replies, around.isFirstNew, around.isAimed].join();
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const isClose = this.#continues(message, previous);
    this.element.className = `row${isClose ? " follows" : ""}${message.private ? " private" : ""}${around.isAimed ? " aimed" : ""}`;
    setAttribute(this.element, "data-status", message.status);
    this.#drawAbove(message, around);
    this.#drawHead(message, isClose);
    this.#drawReply(asked, previous);
    drawParts(this.body, message);
    this.body.hidden = message.blocks.length === 0;
    this.#drawFiles(message);
    this.#drawButtons(message);
    this.thread.hidden = around.replies === 0;
    setText(this.thread, around.replies === 1 ? "1 reply" : `${around.replies} replies`);
  }

  /** @param {Message} message @param {Message | undefined} previous */
  #continues(message, previous) {
    return (
      previous !== undefined && previous.author === message.author && message.author !== BOT && previous.private === message.private &&
      message.created_at - previous.created_at < SAME_BREATH_S && isSameDay(previous.created_at, message.created_at)
    );
  }

  /** @param {Message} message @param {Surroundings} around */
  #drawAbove(message, { previous, isFirstNew }) {
    const isNewDay = !previous || !isSameDay(previous.created_at, message.created_at);
    this.above.replaceChildren(
      ...(isNewDay ? [el("div", { class: "divider" }, dayOf(message.created_at))] : []),
      ...(isFirstNew ? [el("div", { class: "divider new" }, "New")] : []),
    );
  }

  /** @param {Message} message @param {boolean} isClose */
  #drawHead(message, isClose) {
    const person = this.acts.person(message.author);
    const shownName = message.author === BOT ? "Fencepost" : (person?.name ?? message.author);
    const time = el("time", { datetime: isoOf(message.created_at), title: fullTime(message.created_at) }, timeOf(message.created_at));
    const author = el("span", { class: isClose ? "unseen" : "author" }, name(shownName));
    this.head.replaceChildren(
      author,
      ...(isClose && !message.edited && !message.private ? [el("span", { class: "unseen" }, time)] : [time]),
      ...(message.edited && message.author !== BOT ? [el("span", { class: "meta" }, "edited")] : []),
      ...(message.private ? [el("span", { class: "meta" }, "only you see this")] : []),
    );
    if (message.author === BOT) {
      if (!this.face.firstElementChild) this.face.replaceChildren(el("img", { src: this.acts.botFace, alt: "" }));
    } else {
      this.face.replaceChildren(...visible([...shownName][0]?.toUpperCase() ?? "?"));
      this.face.style.setProperty("--hue", String(hueOf(message.author)));
    }
  }

  /** @param {Message | undefined} asked @param {Message | undefined} previous */
  #drawReply(asked, previous) {
    const isNext = this.message.reply_to === null || previous?.id === this.message.reply_to;
    this.reply.hidden = isNext;
    if (isNext) return;
    const whose = asked ? (this.acts.person(asked.author)?.name ?? asked.author) : "";
    const about = asked ? asked.text.replace(/^\s*(?:`{3,}|~{3,}).*\n/, "").split("\n")[0].slice(0, 120) : "";
    this.reply.replaceChildren(el("bdi", {}, ...visible(asked ? `↳ ${whose}: ${about}` : "↳ to an earlier message")));
  }

  /** @param {Message} message */
  #drawFiles(message) {
    const drawn = JSON.stringify(message.files);
    if (drawn === this.filesDrawn) return;
    this.filesDrawn = drawn;
    this.files.replaceChildren(...message.files.map((file) => this.acts.files.draw(file)));
  }

  /** @param {Message} message */
  #drawButtons(message) {
    const drawn = JSON.stringify(message.buttons);
    if (drawn === this.buttons) return;
    this.buttons = drawn;
    const focused = this.pressable.contains(document.activeElement) ? document.activeElement : null;
    const fresh = message.buttons.map((button) => this.#button(button));
    this.pressable.replaceChildren(...fresh);
    if (focused) (fresh.find((button) => button.dataset.button === focused.getAttribute("data-button")) ?? this.element).focus();
  }

  /** @param {Button} button */
  #button(button) {
    const style = button.style === "default" ? null : button.style;
    const element = el("button", { type: "button", class: style, "data-button": button.id }, ...visible(button.label));
    element.addEventListener("click", async (event) => {
      if (isSecondHalf(event, `${this.message.id} ${button.id}`) || element.ariaDisabled === "true") return;
      element.ariaDisabled = "true"; // not disabled: focus stays
      try {
        await this.acts.press(this.message, button);
      } finally {
        element.ariaDisabled = null;
      }
    });
    return element;
  }

  #tools() {
    const { acts } = this;
    const own = this.message.author === acts.me && !this.message.private;
    return [
      own && iconButton(icon("edit"), "Edit", { "data-tool": "edit", onclick: () => acts.edit(this.message) }),
      acts.openThread && !this.message.private &&
        iconButton(icon("thread"), "Reply in a thread", { "data-tool": "thread", onclick: () => acts.openThread?.(this.message) }),
      iconButton(icon("link"), "Copy link", { "data-tool": "link", onclick: () => acts.copyLink(this.message) }),
      this.message.author === acts.me && iconButton(icon("remove"), "Delete", { "data-tool": "delete", onclick: () => acts.remove(this.message) }),
    ].filter((tool) => tool instanceof HTMLElement);
  }

  /** @returns {string} what it says in a line, for those who hear it */
  get summary() {
    return summaryOf(this.message);
  }
}

/** @param {Message} message */
export function summaryOf(message) {
  const who = message.author === BOT ? "Fencepost" : message.author;
  return visibleText(`${who}: ${message.text.slice(0, 160)}`);
}

/** @param {string} id */
function hueOf(id) {
  let hue = 0;
  for (const character of id) hue = (hue * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return hue;
}
