/** One person's view of the chat: who they are, the channels, what is known of each, and what changes. */

import { sentence, Unreachable } from "./api.js";
import { History } from "./history.js";
import { Stream } from "./stream.js";

/**
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./types.js").Person} Person
 * @typedef {import("./types.js").Channel} Channel
 * @typedef {import("./types.js").Me} Me
 * @typedef {import("./api.js").Api} Api
 * @typedef {"added" | "changed" | "removed"} Kind
 * @typedef {{kind: Kind, message: Message}} Change
 */

const FIRST_PAGE = 80;
const PAGE = 250;

export class Session {
  /** @param {Api} api @param {Me} me @param {Person[]} people @param {Channel[]} channels */
  constructor(api, me, people, channels) {
    this.api = api;
    this.me = me;
    this.people = people;
    this.channels = channels;
    /** @type {Map<string, Person>} */
    this.byId = new Map(people.map((person) => [person.id, person]));
    /** @type {Map<string, History>} */
    this.histories = new Map(channels.map((channel) => [channel.id, new History()]));
    /** @type {Set<(changes: Change[]) => void>} */
    this.listeners = new Set();
    /** @type {(state: import("./stream.js").State, retryInS: number) => void} */
    this.onState = () => {};
    /** Everything has to be read anew. */
    this.onOtherLife = () => {};
    /** @type {Map<string, Promise<boolean>>} */
    this.loading = new Map();
    this.stream = new Stream(api, {
      onMessages: (messages) => this.#merge(messages),
      onState: (state, retryInS) => this.onState(state, retryInS),
      onOtherLife: () => this.onOtherLife(),
    });
  }

  /** @param {Api} api @returns {Promise<Session | null>} null where the server does not know who this is; raises Unreachable */
  static async begin(api) {
    const me = await api.get("/api/me");
    if (me.status === 401) return null;
    const [people, channels] = await Promise.all([api.get("/api/users"), api.get("/api/channels")]);
    const failed = [me, people, channels].find((answer) => answer.status !== 200);
    if (failed) throw new Unreachable(sentence(failed));
    api.csrf = me.body.csrf;
    return new Session(api, me.body, people.body, channels.body);
  }

  /** Load the last messages of each channel, then follow from before the first of these answers. */
  async open() {
    const cursors = await Promise.all(this.channels.map((channel) => this.#page(channel.id, FIRST_PAGE)));
    void this.stream.follow(cursors.sort()[0] ?? "");
  }

  end() {
    this.stream.end();
    this.listeners.clear();
  }

  /** @param {string} channel @returns {History} */
  history(channel) {
    const history = this.histories.get(channel);
    if (!history) throw new Error(`no channel ${channel}`);
    return history;
  }

  /** @param {(changes: Change[]) => void} listener @param {AbortSignal} signal ends it */
  onChange(listener, signal) {
    this.listeners.add(listener);
    signal.addEventListener("abort", () => this.listeners.delete(listener));
  }

  /** Load what came before. @param {string} channel @returns {Promise<boolean>} whether there may be still older ones */
  older(channel) {
    const running = this.loading.get(channel);
    if (running) return running;
    if (this.history(channel).complete) return Promise.resolve(false);
    const loading = this.#page(channel, PAGE)
      .then(() => !this.history(channel).complete)
      .finally(() => this.loading.delete(channel));
    this.loading.set(channel, loading);
    return loading;
  }

  /** Load until that message is there. @param {string} channel @param {string} id @returns {Promise<Message | null>} */
  async find(channel, id) {
    const history = this.history(channel);
    for (;;) {
      const message = history.byId.get(id);
      if (message) return message;
      if (!(await this.older(channel)) && !history.byId.has(id)) return null;
    }
  }

  /** @param {string} channel @param {number} limit @returns {Promise<string>} the cursor from which changes follow */
  async #page(channel, limit) {
    const history = this.history(channel);
    const before = history.oldest === Infinity ? "" : history.oldest;
    const { status, body } = await this.api.get(`/api/channels/${channel}/messages?before=${before}&limit=${limit}`);
    if (status !== 200) throw new Unreachable(body.text);
    history.addOlder(body.messages, body.more);
    this.#tell(body.messages.map((/** @type {Message} */ message) => ({ kind: "added", message })));
    return body.cursor;
  }

  /** @param {Message[]} messages */
  #merge(messages) {
    /** @type {Change[]} */
    const changes = [];
    for (const message of messages) {
      const kind = this.histories.get(message.channel)?.merge(message) ?? "ignored";
      if (kind !== "ignored") changes.push({ kind, message });
    }
    this.#tell(changes);
  }

  /** @param {Change[]} changes */
  #tell(changes) {
    if (changes.length) for (const listener of [...this.listeners]) listener(changes);
  }
}
