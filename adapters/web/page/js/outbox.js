/**
 * What was sent and is not yet known to have arrived. Each message has a key of its own, so that trying again is
 * harmless; a message leaves the box once the server has said that it has it.
 */

import { sentence, Unreachable } from "./api.js";
import { el } from "./dom.js";
import { refuse, tell } from "./toast.js";
import { visible } from "./visible.js";

/**
 * @typedef {object} Letter
 * @property {string} key
 * @property {string} channel
 * @property {string | null} thread
 * @property {string} text
 * @property {File[]} files
 */

const KEPT = "fencepost.unsent";
const WAIT_MS = 1500;

export class Outbox {
  /** @param {import("./session.js").Session} session @param {(letter: Letter) => void} giveBack puts a refused text where it can be mended */
  constructor(session, giveBack) {
    this.session = session;
    this.giveBack = giveBack;
    this.element = el("div", { class: "outbox", role: "status" });
    this.key = `${KEPT}.${session.me.id}`;
    /** @type {Letter[]} */
    this.letters = this.#kept();
    this.isBusy = false;
    this.hasEnded = false;
    this.#draw();
    void this.#work();
  }

  /** @param {Omit<Letter, "key">} letter */
  send(letter) {
    this.letters.push({ ...letter, key: freshKey() });
    this.#changed();
    void this.#work();
  }

  end() {
    this.hasEnded = true;
  }

  async #work() {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.letters.length && !this.hasEnded) {
      const letter = this.letters[0];
      const hasArrived = await this.#deliver(letter);
      if (hasArrived) {
        this.letters = this.letters.filter((other) => other !== letter);
        this.#changed();
      } else {
        this.#draw();
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      }
    }
    this.isBusy = false;
  }

  /** @param {Letter} letter @returns {Promise<boolean>} false: it is to be tried again */
  async #deliver(letter) {
    try {
      const answer = await this.session.api.call("POST", `/api/channels/${letter.channel}/messages`, bodyOf(letter), { "Idempotency-Key": letter.key });
      if (answer.status === 503 || answer.status === 429 || answer.status >= 500) return false;
      if (answer.status >= 400) {
        refuse(sentence(answer));
        this.giveBack(letter);
      }
      return true;
    } catch (error) {
      if (error instanceof Unreachable) return false;
      throw error;
    }
  }

  #changed() {
    const kept = this.letters.filter((letter) => letter.files.length === 0);
    if (kept.length) sessionStorage.setItem(this.key, JSON.stringify(kept));
    else sessionStorage.removeItem(this.key);
    if (!this.letters.length) this.#draw();
  }

  /** Only what waits for the server shows; what is on its way in time does not flicker. */
  #draw() {
    this.element.replaceChildren(
      ...this.letters.map((letter) => {
        const drop = el("button", { type: "button", class: "bare" }, "Discard");
        drop.addEventListener("click", () => {
          this.letters = this.letters.filter((other) => other !== letter);
          this.#changed();
          this.#draw();
          tell("Discarded. If it had reached the server before the connection broke, it shows above.");
        });
        return el("div", { class: "unsent" }, "Not sent yet:", el("bdi", {}, ...visible(letter.text.slice(0, 120) || letter.files[0]?.name || "")), drop);
      }),
    );
  }

  /** @returns {Letter[]} */
  #kept() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
      return kept.map((/** @type {Letter} */ letter) => ({ ...letter, files: [] }));
    } catch {
      return [];
    }
  }
}

/** @param {Letter} letter */
function bodyOf({ text, thread, files }) {
  if (!files.length) return thread === null ? { text } : { text, thread };
  const form = new FormData();
  form.append("text", text);
  if (thread !== null) form.append("thread", thread);
  for (const file of files) form.append("files", file, file.name);
  return form;
}

function freshKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}
