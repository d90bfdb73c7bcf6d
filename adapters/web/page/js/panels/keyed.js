/** A list whose elements stay as long as what they show stays, so that neither focus nor a selection is lost. */

/**
 * @template T
 * @param {HTMLElement} list
 * @param {T[]} values
 * @param {(value: T) => string} keyOf
 * @param {(value: T) => HTMLElement} make
 * @param {(element: HTMLElement, value: T) => boolean} [patch] whether it shows the value now
 */
export function drawKeyed(list, values, keyOf, make, patch = () => false) {
  const there = new Map([.../** @type {HTMLCollectionOf<HTMLElement>} */ (list.children)].map((element) => [element.dataset.key ?? "", element]));
  const held = focusIn(list);
  /** @type {Element | null} */
  let at = list.firstElementChild;
  for (const value of values) {
    const key = keyOf(value);
    const json = JSON.stringify(value);
    let element = there.get(key);
    there.delete(key);
    if (!element || (element.dataset.shown !== json && !patch(element, value))) {
      const fresh = make(value);
      if (element) {
        if (at === element) at = fresh;
        element.replaceWith(fresh);
      }
      element = fresh;
      element.dataset.key = key;
    }
    element.dataset.shown = json;
    if (at === element) at = element.nextElementSibling;
    else list.insertBefore(element, at);
  }
  for (const gone of there.values()) gone.remove();
  if (held && !list.contains(document.activeElement)) refocus(list, held);
}

/** @param {HTMLElement} list @returns {{key: string, control: string, index: number} | null} */
function focusIn(list) {
  const active = document.activeElement;
  const item = [...list.children].findIndex((child) => child.contains(active));
  if (item < 0 || !active) return null;
  return { key: /** @type {HTMLElement} */ (list.children[item]).dataset.key ?? "", control: active.getAttribute("data-button") ?? "", index: item };
}

/** Back to where it was, or to what took its place. @param {HTMLElement} list @param {{key: string, control: string, index: number}} held */
function refocus(list, held) {
  const items = /** @type {HTMLElement[]} */ ([...list.children]);
  const item = items.find((element) => element.dataset.key === held.key) ?? items[Math.min(held.index, items.length - 1)];
  const control = item?.querySelector(`[data-button="${held.control}"]`) ?? item?.querySelector("button, summary");
  const target = /** @type {HTMLElement | null} */ (control ?? list.closest("[tabindex]"));
  target?.focus();
}
