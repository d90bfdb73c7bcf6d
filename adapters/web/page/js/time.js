/** Times as the reader's clock shows them. */

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });

/** @param {number} seconds since the epoch */
const date = (seconds) => new Date(seconds * 1000);

/** @param {number} at */
export const timeOf = (at) => TIME.format(date(at));
/** @param {number} at */
export const dayOf = (at) => DAY.format(date(at));
/** @param {number} at */
export const fullTime = (at) => FULL.format(date(at));
/** @param {number} at */
export const isoOf = (at) => date(at).toISOString();

/** @param {number} one @param {number} other @returns {boolean} */
export const isSameDay = (one, other) => date(one).toDateString() === date(other).toDateString();

/**
 * The bot writes `14:52 UTC`; here it becomes the reader's time.
 *
 * @param {string} text @param {number} near seconds since the epoch, of the same day or the next
 * @returns {string}
 */
export function localTimes(text, near) {
  return text.replace(/\b([01]\d|2[0-3]):([0-5]\d) UTC\b/g, (_, hours, minutes) => {
    const day = date(near);
    day.setUTCHours(Number(hours), Number(minutes), 0, 0);
    return TIME.format(day);
  });
}
