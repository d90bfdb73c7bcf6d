/** The page of one person: puts the parts together, and follows the address `#/channel/message`. */

import { Unreachable } from "./api.js";
import { acceptDrops } from "./attachments.js";
import { el } from "./dom.js";
import { Drawer } from "./drawer.js";
import { Files } from "./files.js";
import { listen } from "./keys.js";
import { Outbox } from "./outbox.js";
import { PANELS } from "./panels/index.js";
import { threadPanel } from "./panels/thread.js";
import { Room } from "./room.js";
import { rowActs, rowKey } from "./row_acts.js";
import { Sidebar } from "./sidebar.js";
import { refuse, say } from "./toast.js";
import { TourGuide } from "./tour.js";
import { BOT } from "./types.js";
import { Unread } from "./unread.js";

/**
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./session.js").Session} Session
 *
 * @typedef {object} AppActs
 * @property {(user: string) => void} actAs
 * @property {() => void} logOut
 */

const WORKING = new Set(["queued", "running"]);

export class App {
  /** @param {HTMLElement} root @param {Session} session @param {AppActs} acts @param {string} face */
  constructor(root, session, acts, face) {
    this.session = session;
    this.ended = new AbortController();
    const { signal } = this.ended;
    this.unread = new Unread(session);
    this.files = new Files(session.api, refuse);
    this.rowActs = rowActs(session, this.files, face, {
      edit: (message) => this.room.composer.edit(message),
      openThread: (message) => this.#openThread(message.channel, message.thread ?? message.id, null),
      reveal: (id) => void this.#reveal(this.room.channel.id, id),
    });
    this.outbox = new Outbox(session, (letter) => this.#giveBack(letter));
    this.sidebar = new Sidebar(session, { face, actAs: acts.actAs, logOut: acts.logOut, close: () => this.#toggleSide(false) });
    this.drawer = new Drawer(PANELS.filter((panel) => panel.isFor?.(session.me) ?? true), (ended) => this.#panelApi(ended), (panel) => this.#panelChanged(panel));
    this.tour = session.me.demo ? new TourGuide(session, {
      write: (channel, text) => this.#write(channel, text),
      actAs: (user, channel) => {
        location.hash = `#/${channel}`;
        acts.actAs(user);
      },
      edit: (channel, message) => this.#editThere(channel, message),
    }, signal) : null;
    this.veil = el("button", { class: "veil", type: "button", tabindex: -1, "aria-label": "Close the channels", onclick: () => this.#toggleSide(false) });
    this.frame = el("div", { class: "frame" }, this.sidebar.element, this.veil, this.drawer.element);
    root.replaceChildren(this.frame);
    this.room = this.#enter(session.channels[0].id);

    session.onChange((changes) => this.#changed(changes), signal);
    session.onState = (state, retryInS) => this.#stateChanged(state, retryInS, acts);
    addEventListener("hashchange", () => this.#route(), { signal });
    document.addEventListener("visibilitychange", () => this.#seen(), { signal });
    listen({
      search: () => this.drawer.show("search"),
      write: () => this.room.composer.focus(),
      read: () => this.room.feed.roving.focus(),
      otherChannel: (step) => this.#step(step),
      close: () => this.#toggleSide(false),
    }, signal);
    acceptDrops((files) => this.room.composer.attachments.add(files), signal);
    this.#route();
  }

  end() {
    this.ended.abort();
    this.outbox.end();
    this.drawer.close();
    this.room.end();
    this.session.end();
    this.files.end();
  }

  /** Follow the address. */
  #route() {
    const [, channel = "", message = ""] = location.hash.split("/").map(decoded);
    const { channels } = this.session;
    const wanted = channels.some((one) => one.id === channel) ? channel : channels[0].id;
    if (wanted !== this.room.channel.id) this.room = this.#enter(wanted);
    if (message) void this.#reveal(wanted, message);
  }

  /** @param {string} id */
  #enter(id) {
    this.room?.end();
    this.drawer.leaveChannel();
    const channel = /** @type {import("./types.js").Channel} */ (this.session.channels.find((one) => one.id === id));
    const room = new Room({
      session: this.session,
      channel,
      acts: this.rowActs,
      readUpTo: this.unread.count(id) ? this.unread.upTo(id) : Infinity,
      onSeen: () => this.#seen(),
      send: (letter) => this.outbox.send(letter),
      openSide: () => this.#toggleSide(true),
      togglePanel: (panel) => this.drawer.toggle(panel === "panel" ? (this.drawer.open ?? this.drawer.panels[0].id) : panel),
      aboveComposer: [...(this.tour ? [this.tour.element] : []), this.outbox.element],
      onKey: (event, message) => rowKey(this.rowActs, event, message),
    });
    this.frame.insertBefore(room.element, this.drawer.element);
    this.room = room;
    this.#markPanel(this.drawer.open);
    room.begin();
    if (!matchMedia("(pointer: coarse)").matches) room.composer.focus();
    this.#drawUnread();
    return room;
  }

  /** @param {import("./session.js").Change[]} changes */
  #changed(changes) {
    if (changes.some(({ message }) => message.channel === this.room.channel.id)) this.room.refresh();
    for (const { kind, message } of changes) if (kind !== "removed") this.#announce(message);
    this.#drawUnread();
  }

  /** Say how an answer to oneself stands, once it has ended or waits. @param {Message} message */
  #announce(message) {
    if (message.author !== BOT || message.channel !== this.room.channel.id || message.status === null || WORKING.has(message.status)) return;
    if (this.session.history(message.channel).byId.get(message.reply_to ?? "")?.author !== this.session.me.id) return;
    const head = message.blocks.find((part) => part.kind === "headline");
    if (head && Date.now() / 1000 - message.created_at < 3600) say(head.text);
  }

  #seen() {
    if (document.hidden || !this.room?.feed.sticks) return;
    if (this.unread.markRead(this.room.channel.id)) this.#drawUnread();
  }

  #drawUnread() {
    const { room, session, unread } = this;
    this.sidebar.draw(room.channel.id, (channel) => unread.count(channel));
    const count = session.channels.reduce((sum, channel) => sum + (channel.id === room.channel.id && !document.hidden ? 0 : unread.count(channel.id)), 0);
    document.title = `${count ? `(${count}) ` : ""}#${room.channel.name} · Fencepost`;
  }

  /** @param {string} channel @param {string} id */
  async #reveal(channel, id) {
    try {
      const message = await this.session.find(channel, id);
      if (!message) refuse("That message is not here any more.");
      else if (message.thread !== null) this.#openThread(channel, message.thread, id);
      else {
        this.drawer.uncover();
        this.room.reveal(id);
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      refuse("Fencepost does not answer right now, so that message cannot be loaded.");
    }
  }

  /** @param {string} channel @param {string} root @param {string | null} reveal */
  #openThread(channel, root, reveal) {
    this.drawer.put(threadPanel(channel, root, (letter) => this.outbox.send(letter), { reveal }));
  }

  /** @param {AbortSignal} signal @returns {import("./drawer.js").PanelApi} */
  #panelApi(signal) {
    return {
      session: this.session,
      channel: () => this.room.channel.id,
      reveal: (channel, message) => {
        const hash = `#/${channel}/${message}`;
        if (location.hash === hash) this.#route();
        else location.hash = hash;
      },
      acts: this.rowActs,
      signal,
    };
  }

  /** @param {string | null} panel */
  #panelChanged(panel) {
    this.#markPanel(panel);
    if (panel === null) this.room.composer.focus();
  }

  /** @param {string | null} panel */
  #markPanel(panel) {
    const { search, panel: any } = this.room.panelButtons;
    search.setAttribute("aria-pressed", String(panel === "search"));
    any.setAttribute("aria-pressed", String(panel !== null && panel !== "search"));
  }

  /** @param {string} channel @param {string} text */
  #write(channel, text) {
    if (this.room.channel.id !== channel) {
      this.room = this.#enter(channel);
      history.pushState(null, "", `#/${channel}`);
    }
    this.room.composer.fill(text);
  }

  /** @param {string} channel @param {string} id */
  #editThere(channel, id) {
    this.#write(channel, "");
    const message = this.session.history(channel).byId.get(id);
    if (message) this.room.composer.edit(message);
  }

  /** A letter that was refused goes back to where it was written, if nothing new is there. @param {import("./outbox.js").Letter} letter */
  #giveBack(letter) {
    const { composer } = this.room;
    if (letter.thread === null && letter.channel === this.room.channel.id && !composer.area.value) {
      composer.fill(letter.text);
      composer.attachments.add(letter.files);
    }
  }

  /** @param {number} step */
  #step(step) {
    const { channels } = this.session;
    const at = channels.findIndex((channel) => channel.id === this.room.channel.id);
    location.hash = `#/${channels[(at + step + channels.length) % channels.length].id}`;
  }

  /** @param {boolean} isOpen @returns {boolean} whether that changed anything */
  #toggleSide(isOpen) {
    const was = this.sidebar.element.classList.contains("open");
    this.sidebar.element.classList.toggle("open", isOpen);
    this.veil.classList.toggle("open", isOpen);
    if (isOpen) /** @type {HTMLElement | null} */ (this.sidebar.element.querySelector("[aria-current]"))?.focus();
    else if (was) this.room.composer.focus();
    return was !== isOpen;
  }

  /** @param {import("./stream.js").State} state @param {number} retryInS @param {AppActs} acts */
  #stateChanged(state, retryInS, acts) {
    if (state === "refused") acts.logOut();
    else this.sidebar.drawState(state, retryInS);
  }
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
