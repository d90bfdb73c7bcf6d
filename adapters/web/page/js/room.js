/** The middle: one channel with its messages and the place to write. */

import { Composer } from "./composer.js";
import { el, iconButton } from "./dom.js";
import { Feed } from "./feed.js";
import { icon } from "./icons.js";
import { codeBlock } from "./code_block.js";
import { BOT } from "./types.js";
import { visible } from "./visible.js";

/**
 * @typedef {import("./types.js").Message} Message
 *
 * @typedef {object} RoomOptions
 * @property {import("./session.js").Session} session
 * @property {import("./types.js").Channel} channel
 * @property {import("./row.js").Acts} acts
 * @property {number} readUpTo
 * @property {() => void} onSeen
 * @property {(letter: {channel: string, thread: string | null, text: string, files: File[]}) => void} send
 * @property {() => void} openSide
 * @property {(panel: string) => void} togglePanel
 * @property {HTMLElement[]} aboveComposer
 * @property {(event: KeyboardEvent, message: Message) => void} onKey
 */

const SAMPLE = "```python\nprint(6 * 7)\n```";

export class Room {
  /** @param {RoomOptions} options */
  constructor(options) {
    const { session, channel, acts } = options;
    this.session = session;
    this.channel = channel;
    this.history = session.history(channel.id);
    this.readUpTo = options.readUpTo;
    this.aimed = "";
    this.feed = new Feed(acts, {
      label: `Messages in #${channel.name}`,
      onNearTop: () => this.#older(),
      onSeen: options.onSeen,
      onKey: options.onKey,
    });
    this.composer = new Composer(session.api, {
      label: `Message #${channel.name}`,
      draftKey: `fencepost.draft.${session.me.id}.${channel.id}`,
      lastOwn: () => this.history.main.findLast((message) => message.author === session.me.id && !message.private),
      send: (text, files) => {
        options.send({ channel: channel.id, thread: null, text, files });
        this.feed.toEnd();
      },
    });
    this.panelButtons = {
      search: iconButton(icon("search"), "Search (Ctrl+K)", { onclick: () => options.togglePanel("search") }),
      panel: iconButton(icon("panel"), "Panels", { onclick: () => options.togglePanel("panel") }),
    };
    const menu = iconButton(icon("menu"), "Channels", { class: "bare icon menu", onclick: options.openSide, "aria-controls": "side" });
    this.element = el(
      "main", { class: "middle" },
      el("header", { class: "bar" }, menu,
        el("div", { class: "title" }, el("h2", {}, "# ", ...visible(channel.name)), el("span", { class: "about" }, ...visible(channel.about))),
        this.panelButtons.search, this.panelButtons.panel),
      this.feed.element,
      el("div", {}, ...options.aboveComposer, this.composer.element),
    );
    this.empty = el("div", { class: "empty" },
      el("h3", {}, "Paste a fence to run it"),
      el("p", {}, "A message with a code fence runs in the sandbox of this channel; what its policy does not cover asks a lead."),
      codeBlock({ code: "print(6 * 7)\n", language: "python", title: "```python" }),
      el("div", {}, el("button", { type: "button", onclick: () => this.composer.fill(SAMPLE) }, "Try this one")));
    this.feed.element.append(this.empty);
    this.#drawEmpty();
  }

  /** Once it is in the document. */
  begin() {
    this.feed.show({ items: this.history.main, around: (index) => this.#around(index) });
  }

  refresh() {
    this.#drawEmpty();
    this.feed.schedule();
  }

  #drawEmpty() {
    this.empty.hidden = this.history.main.length > 0;
  }

  /** @param {string} id @returns {boolean} */
  reveal(id) {
    this.aimed = id;
    const isThere = this.feed.reveal(id);
    setTimeout(() => {
      if (this.aimed !== id) return;
      this.aimed = "";
      this.feed.schedule();
    }, 2500);
    return isThere;
  }

  end() {
    this.feed.end();
    this.element.remove();
  }

  /** @param {number} index @returns {import("./row.js").Surroundings} */
  #around(index) {
    const message = this.history.main[index];
    const previous = this.history.main[index - 1];
    return {
      previous,
      asked: message.reply_to === null ? undefined : this.history.byId.get(message.reply_to),
      replies: this.history.replies(message.id).length,
      isFirstNew: message.number > this.readUpTo && (previous ? previous.number <= this.readUpTo : this.history.complete) && (message.author !== this.session.me.id || message.author === BOT),
      isAimed: message.id === this.aimed,
      position: index,
      count: this.history.main.length,
    };
  }

  #older() {
    if (this.history.complete) return;
    this.session.older(this.channel.id).catch(() => {}); // the connection says so already; scrolling tries again
  }
}
