/** The form for whoever is not known yet. */

import { sentence, Unreachable } from "./api.js";
import { el, setText } from "./dom.js";

/** @param {import("./api.js").Api} api @param {string} face @returns {{element: HTMLElement, done: Promise<void>}} */
export function loginForm(api, face) {
  const who = el("input", { name: "name", autocomplete: "username", required: true, autofocus: true, maxlength: 80, autocapitalize: "none" });
  const password = el("input", { name: "password", type: "password", autocomplete: "current-password", required: true, maxlength: 1000 });
  const error = el("div", { class: "error", role: "alert" });
  const button = el("button", { type: "submit", class: "primary" }, "Log in");
  const form = el(
    "form", {},
    el("h1", {}, el("img", { src: face, alt: "" }), "Fencepost"),
    el("label", {}, "Name", who),
    el("label", {}, "Password", password),
    error,
    button,
  );
  const done = new Promise((/** @type {(value: void) => void} */ resolve) => {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      button.disabled = true;
      try {
        const answer = await api.post("/api/login", { name: who.value, password: password.value });
        if (answer.status === 200) resolve();
        else {
          setText(error, sentence(answer));
          password.select();
        }
      } catch (reason) {
        if (!(reason instanceof Unreachable)) throw reason;
        setText(error, "Fencepost does not answer right now.");
      } finally {
        button.disabled = false;
      }
    });
  });
  return { element: el("main", { class: "login" }, form), done };
}
