/** How the page is used. */

import { el } from "../dom.js";
import { forgetTour } from "../tour_steps.js";

/** @type {[string, string][]} */
const KEYS = [
  ["Enter", "send; within a fence: a new line"],
  ["Shift+Enter", "a new line"],
  ["Ctrl+Enter", "send, also within a fence"],
  ["Tab", "indent, within a fence"],
  ["↑", "edit your last message"],
  ["Esc", "close, cancel; from the text to the messages"],
  ["j  k", "next and previous message"],
  ["e  t  c", "on a message: edit, thread, copy link"],
  ["/", "write"],
  ["Ctrl+K", "search"],
  ["Alt+↑  Alt+↓", "other channel"],
];

/** @type {import("../drawer.js").Panel} */
export const help = {
  id: "help",
  title: "Help",
  render(root, { session }) {
    root.append(
      el("h3", {}, "Run code"),
      el("p", {}, "Write or paste a fence: three back-ticks with a language, the code, three back-ticks. What the policy of the channel does not cover waits for a lead's click."),
      el("h3", {}, "Keys"),
      el("dl", { class: "keys" }, ...KEYS.flatMap(([keys, what]) => [el("dt", {}, ...keys.split("  ").flatMap((key, at) => [at ? " " : "", el("kbd", {}, key)])), el("dd", {}, what)])),
      el("h3", {}, "More"),
      el("p", {}, el("a", { href: "/help.txt" }, "The same with curl"), ". ", el("kbd", {}, "/fencepost help"), " lists the commands."),
    );
    if (session.me.demo) {
      const again = el("button", { type: "button", onclick: () => forgetTour() }, "Take the tour again");
      root.append(el("h3", {}, "Tour"), again);
    }
  },
};
