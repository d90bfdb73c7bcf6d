/** How far each person has read each channel, kept in this browser. */

/** @typedef {import("./session.js").Session} Session */

export class Unread {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.key = `fencepost.read.${session.me.id}`;
    /** @type {Record<string, number>} */
    this.read = load(this.key);
    for (const channel of session.channels) this.read[channel.id] ??= session.history(channel.id).latest;
    // another life of the server counts from the beginning
    for (const channel of session.channels) this.read[channel.id] = Math.min(this.read[channel.id], session.history(channel.id).latest);
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
    localStorage.setItem(this.key, JSON.stringify(this.read));
    return true;
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
