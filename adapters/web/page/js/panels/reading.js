/**
 * Keeps a panel as the server sees it: read when it opens, and again soon after a message of the bot has come into
 * another state. What no message tells of is read at a steady pace too, while somebody can see it.
 */

import { sentence, Unreachable } from "../api.js";
import { BOT } from "../types.js";

const SETTLE_MS = 200;
const LEAST_MS = 1000;
const AGAIN_MS = 5000;

/**
 * @typedef {import("../drawer.js").PanelApi} PanelApi
 *
 * @param {PanelApi} api
 * @param {string | (() => string)} what the last part of the address
 * @param {(lines: any[] | null, problem: string) => void} draw `lines` null: they could not be read
 * @param {boolean} [steadily]
 * @returns {() => void} reads it now
 */
export function keepReading({ session, signal }, what, draw, steadily = false) {
  let timer = 0;
  let due = Infinity;
  let readAt = -Infinity;
  let reading = false;
  let stale = false;
  /** @type {Map<string, string | null>} */
  const states = new Map();

  /** @param {number} inMs */
  function plan(inMs) {
    const at = Math.max(performance.now() + inMs, readAt + LEAST_MS);
    if (signal.aborted || at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(read, at - performance.now());
  }

  async function read() {
    due = Infinity;
    if (reading) {
      stale = true;
      return;
    }
    reading = true;
    let again = steadily;
    try {
      const answer = await session.api.get(`/api/overview/${typeof what === "string" ? what : what()}`);
      readAt = performance.now();
      if (signal.aborted) return;
      if (answer.status === 200) draw(answer.body, "");
      else draw(null, sentence(answer));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      again = true;
      if (!signal.aborted) draw(null, "Fencepost does not answer right now. This is how it was.");
    } finally {
      reading = false;
      if (stale) plan(0);
      stale = false;
      if (again) plan(AGAIN_MS);
    }
  }

  function readIfSeen() {
    if (document.visibilityState === "visible") plan(0);
  }

  session.onChange((changes) => {
    let moved = false;
    for (const { kind, message } of changes) {
      if (message.author !== BOT) continue;
      const state = kind === "removed" ? "removed" : message.status;
      moved = moved || states.get(message.id) !== state;
      states.set(message.id, state);
    }
    if (moved) plan(SETTLE_MS);
  }, signal);
  document.addEventListener("visibilitychange", readIfSeen, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  void read();
  return () => void read();
}
