/**
 * What is known of a channel's messages, in the order of their creation. Merging is the same in any order and any
 * number of times: the later form of a message wins, and what was removed stays removed.
 */

/** @typedef {import("./types.js").Message} Message */

export class History {
  constructor() {
    /** @type {Map<string, Message>} */
    this.byId = new Map();
    /** Messages outside of threads, oldest first. @type {Message[]} */
    this.main = [];
    /** Replies by the message that starts their thread. @type {Map<string, Message[]>} */
    this.threads = new Map();
    /** Whether there is nothing older to load. */
    this.complete = false;
    /** The oldest number that was loaded; older messages come with their page. */
    this.oldest = Infinity;
    /** @type {Map<string, string>} */
    this.removed = new Map();
  }

  /** @param {Message[]} page @param {boolean} more whether there are older ones */
  addOlder(page, more) {
    if (page.length) this.oldest = Math.min(this.oldest, page[0].number);
    this.complete = !more;
    for (const message of page) this.merge(message);
  }

  /** @param {Message} message @returns {"added" | "changed" | "removed" | "ignored"} */
  merge(message) {
    const known = this.byId.get(message.id);
    if (message.deleted) return this.#remove(message, known);
    if ((this.removed.get(message.id) ?? "") >= message.cursor) return "ignored";
    if (known) {
      if (known.cursor >= message.cursor) return "ignored";
      this.byId.set(message.id, message);
      const list = this.listOf(message);
      list[indexOf(list, message.number)] = message;
      return "changed";
    }
    if (message.number < this.oldest && !this.complete) return "ignored";
    this.byId.set(message.id, message);
    const list = this.listOf(message);
    list.splice(placeOf(list, message.number), 0, message);
    return "added";
  }

  /** @param {Message} message @param {Message | undefined} known @returns {"removed" | "ignored"} */
  #remove(message, known) {
    this.removed.set(message.id, message.cursor);
    if (!known) return "ignored";
    this.byId.delete(message.id);
    const list = this.listOf(known);
    list.splice(indexOf(list, known.number), 1);
    return "removed";
  }

  /** @param {Message} message @returns {Message[]} the list that it stands in */
  listOf(message) {
    return message.thread === null ? this.main : this.#thread(message.thread);
  }

  /** @param {string} root */
  #thread(root) {
    let list = this.threads.get(root);
    if (!list) this.threads.set(root, (list = []));
    return list;
  }

  /** @param {string} root @returns {Message[]} */
  replies(root) {
    return this.threads.get(root) ?? [];
  }

  /** @param {number} number @param {string} me @returns {number} how many came after that one from others */
  countAfter(number, me) {
    let count = 0;
    for (const list of [this.main, ...this.threads.values()]) {
      for (let at = list.length - 1; at >= 0 && list[at].number > number; at -= 1) {
        if (list[at].author !== me) count += 1;
      }
    }
    return count;
  }

  get latest() {
    let latest = 0;
    for (const list of [this.main, ...this.threads.values()]) latest = Math.max(latest, list.at(-1)?.number ?? 0);
    return latest;
  }
}

/** @param {Message[]} list @param {number} number @returns {number} where a message of that number belongs */
export function placeOf(list, number) {
  let low = 0;
  let high = list.length;
  if (!high || list[high - 1].number < number) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].number < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {Message[]} list @param {number} number */
export function indexOf(list, number) {
  const at = placeOf(list, number);
  return at < list.length && list[at].number === number ? at : -1;
}
