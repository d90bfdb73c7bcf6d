/** Light, dark, or as the system has it. */

const KEY = "fencepost.theme";
const ORDER = ["auto", "light", "dark"];

/** @returns {string} */
export function theme() {
  const kept = localStorage.getItem(KEY) ?? "auto";
  return ORDER.includes(kept) ? kept : "auto";
}

/** @param {string} name */
export function setTheme(name) {
  localStorage.setItem(KEY, name);
  apply();
}

export function apply() {
  const name = theme();
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

/** @returns {string} the one after the present one */
export function nextTheme() {
  return ORDER[(ORDER.indexOf(theme()) + 1) % ORDER.length];
}
