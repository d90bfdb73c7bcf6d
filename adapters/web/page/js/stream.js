/**
 * The live connection. It follows a cursor: after a gap the server sends what changed since, each message once and as
 * it is now. A cursor that goes backwards is another life of the server, and everything is read anew.
 */

import { FrameReader } from "./sse.js";

/**
 * @typedef {import("./api.js").Api} Api
 * @typedef {import("./types.js").Message} Message
 * @typedef {"connecting" | "open" | "waiting" | "refused"} State
 * @typedef {object} Listener
 * @property {(messages: Message[]) => void} onMessages in the order of their changes
 * @property {(state: State, retryInS: number) => void} onState
 * @property {() => void} onOtherLife
 */

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 8000;
/** The server says something every 15 s; a connection that is silent for this long is dead. */
const SILENCE_MS = 40000;
/**
 * A browser has six connections to a server, for all of its tabs: one that nobody has looked at for a while lets its
 * own go, and only asks every now and then.
 */
const NAP_AFTER_MS = 120000;
const NAP_MS = 20000;
const LOOK_MS = 1500;

export class Stream {
  /** @param {Api} api @param {Listener} listener */
  constructor(api, listener) {
    this.api = api;
    this.listener = listener;
    this.cursor = "";
    this.ended = new AbortController();
    this.hurry = () => {};
    this.cutShort = () => {};
    this.isNapping = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.tired = undefined;
    addEventListener("online", () => this.hurry(), { signal: this.ended.signal });
    document.addEventListener("visibilitychange", () => this.#seenOrNot(), { signal: this.ended.signal });
  }

  /** @param {string} cursor */
  async follow(cursor) {
    this.cursor = cursor;
    let wait = FIRST_WAIT_MS;
    while (!this.ended.signal.aborted) {
      this.listener.onState("connecting", 0);
      if (await this.#once()) wait = FIRST_WAIT_MS;
      if (this.ended.signal.aborted) return;
      const pause = this.isNapping ? NAP_MS : wait * (0.75 + Math.random() / 2);
      this.listener.onState("waiting", pause / 1000);
      await this.#pause(pause);
      wait = Math.min(wait * 1.7, LONGEST_WAIT_MS);
    }
  }

  #seenOrNot() {
    clearTimeout(this.tired);
    if (document.hidden) {
      this.tired = setTimeout(() => {
        this.isNapping = true;
        this.cutShort();
      }, NAP_AFTER_MS);
    } else {
      if (this.isNapping) this.cutShort();
      this.isNapping = false;
      this.hurry();
    }
  }

  end() {
    clearTimeout(this.tired);
    this.ended.abort();
    this.hurry();
  }

  /** @returns {Promise<boolean>} whether anything came */
  async #once() {
    const attempt = new AbortController();
    const giveUp = () => attempt.abort();
    this.cutShort = giveUp;
    const look = this.isNapping ? setTimeout(giveUp, LOOK_MS) : undefined;
    this.ended.signal.addEventListener("abort", giveUp, { once: true });
    let silence = setTimeout(giveUp, SILENCE_MS);
    let came = false;
    try {
      const response = await this.api.fetch(`/api/events?after=${this.cursor}`, { signal: attempt.signal });
      if (response.status === 401) {
        this.listener.onState("refused", 0);
        this.end();
      }
      if (!response.ok || !response.body) return false;
      this.listener.onState("open", 0);
      const frames = new FrameReader();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return came;
        came = true;
        clearTimeout(silence);
        silence = setTimeout(giveUp, SILENCE_MS);
        this.#take(frames.read(value));
      }
    } catch {
      return came; // cut off: whatever the reason, the next attempt goes on from the cursor
    } finally {
      clearTimeout(silence);
      clearTimeout(look);
      this.ended.signal.removeEventListener("abort", giveUp);
      attempt.abort();
    }
  }

  /** @param {import("./sse.js").Frame[]} frames */
  #take(frames) {
    /** @type {Message[]} */
    const messages = [];
    for (const { id, data } of frames) {
      if (id !== null && id < this.cursor) {
        this.cursor = id;
        this.listener.onOtherLife();
        return;
      }
      if (data) messages.push(JSON.parse(data).message);
      if (id !== null) this.cursor = id;
    }
    if (messages.length) this.listener.onMessages(messages);
  }

  /** @param {number} ms */
  #pause(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.hurry = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }
}
