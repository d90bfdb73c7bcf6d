/**
 * A list whose elements stay as long as what they show stays, so that neither focus nor a selection is lost.
 *
 * With `leave`, what is gone stays in its place too, as long as somebody points at the list or is in it: else the next
 * one's button would slide under a second click.
 */

/**
 * @template T
 * @param {HTMLElement} list
 * @param {T[]} values
 * @param {(value: T) => string} keyOf
 * @param {(value: T) => HTMLElement} make
 * @param {{patch?: (element: HTMLElement, value: T) => boolean, leave?: (element: HTMLElement) => void}} [more] `patch`
 *   says whether the element shows the value now; `leave` makes it show that it is over
 */
export function drawKeyed(list, values, keyOf, make, { patch = () => false, leave } = {}) {
  tidy(list);
  const there = new Map(/** @type {HTMLElement[]} */ ([...list.children]).map((element) => [element.dataset.key ?? "", element]));
  const wanted = new Set(/** @type {(string | undefined)[]} */ (values.map(keyOf)));
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
    delete element.dataset.gone;
    while (at instanceof HTMLElement && !wanted.has(at.dataset.key)) at = at.nextElementSibling;
    if (at === element) at = element.nextElementSibling;
    else list.insertBefore(element, at);
  }
  for (const gone of there.values()) {
    if (!leave || !isLookedAt(list)) gone.remove();
    else if (gone.dataset.gone === undefined) {
      leave(gone);
      gone.dataset.gone = "";
      gone.dataset.shown = "";
    }
  }
  if (held && !list.contains(document.activeElement)) refocus(list, held);
}

/** Take out what is gone, unless somebody looks. @param {HTMLElement} list */
function tidy(list) {
  if (!isLookedAt(list)) for (const gone of list.querySelectorAll(":scope > [data-gone]")) gone.remove();
}

/** @param {HTMLElement} list */
function isLookedAt(list) {
  return list.matches(":hover") || list.contains(document.activeElement);
}

/** For a list that is drawn with `leave`. @param {HTMLElement} list @param {AbortSignal} signal */
export function keepTidy(list, signal) {
  for (const event of ["pointerleave", "focusout"]) list.addEventListener(event, () => setTimeout(() => tidy(list)), { signal });
}

/** @typedef {{key: string, control: string, index: number}} Held */

/** @param {HTMLElement} list @returns {Held | null} */
function focusIn(list) {
  const active = document.activeElement;
  const index = [...list.children].findIndex((child) => child.contains(active));
  if (index < 0 || !active) return null;
  return { key: /** @type {HTMLElement} */ (list.children[index]).dataset.key ?? "", control: active.getAttribute("data-button") ?? "", index };
}

/** Back to where it was, or to what took its place, but never onto another one's button. @param {HTMLElement} list @param {Held} held */
function refocus(list, { key, control, index }) {
  const items = /** @type {HTMLElement[]} */ ([...list.children]);
  const same = items.find((element) => element.dataset.key === key);
  const item = same ?? items[Math.min(index, items.length - 1)];
  if (item) item.tabIndex = -1;
  const target = same?.querySelector(`[data-button="${control}"]`) ?? same?.querySelector("button, summary") ?? item ?? list.closest("[tabindex]");
  /** @type {HTMLElement | null} */ (target)?.focus();
}
