/** Spans of time and amounts in a few characters. */

/** @param {number} seconds @returns {string} `8 s`, `3 min`, `2 h`, `4 d` */
export function span(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

/** @param {number} seconds that a program ran @returns {string} `12 ms`, `0.8 s`, `41 s` */
export function duration(seconds) {
  if (seconds < 0.9995) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 10) return `${seconds.toFixed(1).replace(".0", "")} s`;
  return span(seconds);
}

/** @param {number} count @param {string} one @returns {string} */
export function plural(count, one) {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}

/**
 * Writes how long ago or how soon something is, and keeps it right.
 *
 * @param {HTMLElement} root its elements with `data-since` or `data-until`, epoch seconds
 * @param {AbortSignal} signal
 * @returns {() => void} to be called after drawing too
 */
export function keepTime(root, signal) {
  const write = () => {
    const now = Date.now() / 1000;
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-since], [data-until]"))) {
      const { since, until } = element.dataset;
      const text = since === undefined ? span(Number(until) - now) : span(now - Number(since));
      if (element.textContent !== text) element.textContent = text;
    }
  };
  const timer = setInterval(write, 1000);
  signal.addEventListener("abort", () => clearInterval(timer));
  return write;
}
