/** Where the guided tour stands: decided by what has really happened in the chat, kept in this browser. */

import { BOT } from "./types.js";

/**
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./session.js").Session} Session
 *
 * @typedef {object} Tour
 * @property {number} step 0 to 3; 4: all done
 * @property {string | null} since the last change before the tour began: only later ones count
 * @property {boolean} isOver skipped, or closed at its end
 * @property {{channel: string, question: string, answer: string, cursor: string} | null} run of step 0
 * @property {{channel: string, card: string, asker: string} | null} card of step 1
 */

const KEY = "fencepost.tour";
export const FORGOTTEN = "fencepost:tour";

/** @returns {Tour} */
export const fresh = () => ({ step: 0, since: null, isOver: false, run: null, card: null });

/** @returns {Tour} */
export function recall() {
  try {
    return { ...fresh(), ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return fresh();
  }
}

/** @param {Tour} tour */
export function remember(tour) {
  localStorage.setItem(KEY, JSON.stringify(tour));
}

export function forgetTour() {
  localStorage.removeItem(KEY);
  dispatchEvent(new Event(FORGOTTEN));
}

/** @param {Tour} tour @param {Session} session @returns {Tour} the same, or a later one */
export function advanced(tour, session) {
  if (tour.isOver) return tour;
  if (tour.since === null) return { ...tour, since: lastChange(session) };
  const { since } = tour;
  switch (tour.step) {
    case 0: {
      const answer = answerToMine(session, (message) => message.cursor > since && message.status === "completed");
      return answer ? { ...tour, step: 1, run: { channel: answer.channel, question: answer.reply_to ?? "", answer: answer.id, cursor: answer.cursor } } : tour;
    }
    case 1: {
      const card = answerToMine(session, (message) => message.cursor > since && message.status === "waiting");
      return card ? { ...tour, step: 2, card: { channel: card.channel, card: card.id, asker: session.me.id } } : tour;
    }
    case 2:
      return afterDecision(tour, session);
    case 3:
      return isRunAgain(tour, session) ? { ...tour, step: 4 } : tour;
    default:
      return tour;
  }
}

/** @param {Session} session @returns {string} */
function lastChange(session) {
  let last = "";
  for (const history of session.histories.values()) for (const { cursor } of history.byId.values()) if (cursor > last) last = cursor;
  return last;
}

/** @param {Session} session @param {(message: Message) => boolean} isIt @returns {Message | undefined} the newest such answer */
function answerToMine(session, isIt) {
  for (const history of session.histories.values()) {
    const found = history.main.findLast((message) => message.author === BOT && isIt(message) && history.byId.get(message.reply_to ?? "")?.author === session.me.id);
    if (found) return found;
  }
  return undefined;
}

/** @param {Tour} tour @param {Session} session @returns {Tour} */
function afterDecision(tour, session) {
  const card = tour.card && session.histories.get(tour.card.channel)?.byId.get(tour.card.card);
  if (!card) return { ...tour, step: 1, card: null };
  if (card.status === "waiting") return tour;
  return /Approved by /.test(card.text) ? { ...tour, step: 3 } : { ...tour, step: 1, card: null };
}

/** @param {Tour} tour @param {Session} session */
function isRunAgain({ run }, session) {
  const history = run && session.histories.get(run.channel);
  const [question, answer] = [history?.byId.get(run?.question ?? ""), history?.byId.get(run?.answer ?? "")];
  return Boolean(question?.edited && answer && run && answer.cursor > run.cursor && answer.status === "completed");
}
