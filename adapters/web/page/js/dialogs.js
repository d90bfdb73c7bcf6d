/** Questions that stop one until they are answered. Each gives the answer, or null if it was left. */

import { el, freshId } from "./dom.js";
import { name, visible } from "./visible.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * @template T
 * @param {{title: Child, yes: string, style?: string, isWide?: boolean, enterSends?: boolean}} frame
 * @param {Child[]} content
 * @param {() => T} read
 * @returns {Promise<T | null>}
 */
function ask({ title, yes, style = "primary", isWide = false, enterSends = false }, content, read) {
  const label = freshId("title");
  const confirm = el("button", { type: "submit", value: "yes", class: style }, yes);
  const form = el(
    "form",
    { method: "dialog" },
    el("h2", { id: label }, title),
    ...content,
    el("menu", {}, el("button", { type: "button", onclick: () => dialog.close("") }, "Back"), confirm),
  );
  const dialog = el("dialog", { "aria-labelledby": label, class: isWide ? "wide" : null }, form);
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !(event.ctrlKey || event.metaKey || (enterSends && !event.shiftKey && event.target instanceof HTMLTextAreaElement))) return;
    event.preventDefault();
    form.requestSubmit(confirm);
  });
  return open(dialog, () => (dialog.returnValue === "yes" ? read() : null));
}

/**
 * @template T
 * @param {HTMLDialogElement} dialog @param {() => T} result
 * @returns {Promise<T>}
 */
function open(dialog, result) {
  const before = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      resolve(result());
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close("");
    });
  });
}

/** @param {string} title @param {string} text @param {string} yes @param {string} [style] */
export async function confirmed(title, text, yes, style) {
  return (await ask({ title, yes, style }, [el("p", { class: "say" }, ...visible(text))], () => true)) ?? false;
}

/** @param {string} title @param {string} hint @param {boolean} isNeeded @param {string} yes */
export function askReason(title, hint, isNeeded, yes) {
  const area = el("textarea", { maxlength: 10000, required: isNeeded, autofocus: true });
  return ask({ title, yes, style: yes === "Deny" ? "danger" : "primary", enterSends: true }, [el("label", {}, hint, area)], () => area.value.trim());
}

/** @param {string} title @param {{id: string, text: string}[]} choices the narrowest first */
export function askChoice(title, choices) {
  const group = freshId("choice");
  const inputs = choices.map((choice, index) => el("input", { type: "radio", name: group, value: choice.id, checked: index === 0 }));
  const rows = choices.map((choice, index) => el("label", { class: "choice" }, inputs[index], el("span", {}, ...visible(choice.text))));
  return ask({ title, yes: "Approve and remember" }, [el("fieldset", {}, el("legend", { class: "soft" }, "What may run by itself from now on:"), ...rows)], () => {
    return inputs.find((input) => input.checked)?.value ?? choices[0].id;
  });
}

/** @returns {Promise<{stdin: string, args: string} | null>} */
export function askInput() {
  const stdin = el("textarea", { class: "mono", autofocus: true, spellcheck: "false" });
  const args = el("input", { class: "mono", maxlength: 10000, spellcheck: "false", autocomplete: "off", placeholder: '-n 5 "two words"' });
  return ask(
    { title: "Run with input", yes: "Run" },
    [el("label", {}, "Standard input", stdin), el("label", {}, "Arguments, as in a shell", args)],
    () => ({ stdin: stdin.value, args: args.value }),
  );
}

/** @param {string} title @param {Child[]} content @param {Child[]} [buttons] */
export function read(title, content, buttons = []) {
  const label = freshId("title");
  const dialog = el("dialog", { class: "wide", "aria-labelledby": label });
  dialog.append(
    el("div", { class: "inside" },
      el("h2", { id: label }, name(title)),
      ...content,
      el("menu", {}, ...buttons, el("button", { type: "button", class: "primary", autofocus: true, onclick: () => dialog.close() }, "Close")),
    ),
  );
  return open(dialog, () => undefined);
}
