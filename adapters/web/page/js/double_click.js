/**
 * The second half of a double click. The first half may have changed what lies under the pointer: Stop becomes Run
 * again within milliseconds, and nobody has meant that one.
 */

const TOGETHER_MS = 600;
const NEAR_PX = 12;

/** @type {{at: number, x: number, y: number, what: string} | null} */
let last = null;

/**
 * @param {MouseEvent} event @param {string} what names the button
 * @returns {boolean} whether it hit another button than the first half did
 */
export function isSecondHalf(event, what) {
  const before = last;
  const { clientX: x, clientY: y, timeStamp: at } = event;
  last = event.detail === 0 ? null : { at, x, y, what }; // 0: a key, which has no place
  if (!before || !last || before.what === what) return false;
  return at - before.at < TOGETHER_MS && Math.hypot(x - before.x, y - before.y) < NEAR_PX;
}
