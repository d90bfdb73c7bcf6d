/** How far each person has read each channel, kept in this browser. */

/** @typedef {import("./session.js").Session} Session */

export class Unread {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.key = `fencepost.read.${session.me.id}`;
    /** @type {Record<string, number>} */
    this.read = load(this.key);
    for (const { id } of session.channels) {
      const { latest } = session.history(id); // another life of the server counts from the beginning
      this.read[id] = Math.min(this.read[id] ?? latest, latest);
    }
    this.#keep();
  }

  /** @param {string} channel */
  upTo(channel) {
    return this.read[channel] ?? 0;
  }

  /** @param {string} channel */
  count(channel) {
    return this.session.history(channel).countAfter(this.upTo(channel), this.session.me.id);
  }

  /** @param {string} channel @returns {boolean} whether that changes anything */
  markRead(channel) {
    const { latest } = this.session.history(channel);
    if (latest <= this.upTo(channel)) return false;
    this.read[channel] = latest;
    this.#keep();
    return true;
  }

  #keep() {
    localStorage.setItem(this.key, JSON.stringify(this.read));
  }
}

/** @param {string} key @returns {Record<string, number>} */
function load(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "{}");
    return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === "number"));
  } catch {
    return {};
  }
}
