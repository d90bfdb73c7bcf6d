/** The web API: who acts goes with every request, and a no is a value, not an exception. */

/** @typedef {import("./types.js").Answer} Answer @typedef {import("./types.js").Me} Me */

/** The server did not answer: nothing is known of what became of the request. */
export class Unreachable extends Error {}

export class Api {
  /** @param {string | null} actsAs the user of the demo that this tab acts as; null where people log in */
  constructor(actsAs) {
    this.actsAs = actsAs;
    this.csrf = "";
  }

  /** @returns {Record<string, string>} */
  get headers() {
    return this.actsAs === null ? { "X-CSRF-Token": this.csrf } : { "X-Fencepost-User": this.actsAs };
  }

  /** @param {string} path @param {RequestInit} [init] */
  async fetch(path, init = {}) {
    try {
      return await fetch(path, { ...init, headers: { ...this.headers, ...init.headers } });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new Unreachable("Fencepost does not answer.");
    }
  }

  /**
   * @param {string} method @param {string} path
   * @param {unknown} [body] sent as JSON, or as it is if it is a form
   * @param {Record<string, string>} [headers]
   * @returns {Promise<Answer>}
   */
  async call(method, path, body, headers = {}) {
    /** @type {RequestInit} */
    const init = { method, headers };
    if (body instanceof FormData) init.body = body;
    else if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...headers, "Content-Type": "application/json" };
    }
    const response = await this.fetch(path, init);
    return { status: response.status, body: await json(response) };
  }

  /** @param {string} path */
  get(path) {
    return this.call("GET", path);
  }

  /** @param {string} path @param {unknown} [body] */
  post(path, body) {
    return this.call("POST", path, body);
  }
}

/** @param {Response} response */
async function json(response) {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) return { text: `The server answered with status ${response.status}.` };
    throw new Unreachable("Fencepost does not answer.");
  }
}

/** @param {Answer} answer @returns {string} the sentence of an answer */
export function sentence(answer) {
  const { body, status } = answer;
  return (body && (body.text || body.confirm || body.reason)) || `The server answered with status ${status}.`;
}
