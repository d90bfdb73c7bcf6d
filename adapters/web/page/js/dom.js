/** Elements from plain values. Text is text: nothing here, or anywhere in the page, parses markup. */

/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes
 */

/**
 * `on…` are listeners, `false`, null and undefined leave an attribute out, `true` makes an empty one.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(isThere));
  return element;
}

/** @param {Child} child @returns {child is Node | string} */
function isThere(child) {
  return child !== null && child !== undefined && child !== false;
}

/** @param {Element} element @param {string} name @param {string | null} value */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A button with an icon and a name that is read aloud.
 *
 * @param {SVGElement} icon @param {string} name @param {Attributes} attributes
 */
export function iconButton(icon, name, attributes) {
  return el("button", { type: "button", class: "bare icon", title: name, "aria-label": name, ...attributes }, icon);
}

let counter = 0;

/** @param {string} stem */
export function freshId(stem) {
  counter += 1;
  return `${stem}-${counter}`;
}
