/** The containers that there are, for leads and admins: whose, in what state, how old, how much memory. */

import { el, setText } from "../dom.js";
import { size } from "../files.js";
import { name } from "../visible.js";
import { drawKeyed } from "./keyed.js";
import { keepReading } from "./reading.js";
import { plural, span } from "./spans.js";

/** @typedef {import("./lines.js").SandboxLine} SandboxLine */

const HEADS = ["Sandbox", "State", "Age", "Memory"];
const WORDS = { leased: "in use", idle: "idle", reserve: "in reserve", changing: "changing", lost: "lost" };

/** @type {import("../drawer.js").Panel} */
export const sandboxes = {
  id: "sandboxes",
  title: "Sandboxes",
  isOfAll: true,
  isFor: ({ roles }) => roles.includes("lead") || roles.includes("admin"),
  render(root, api) {
    const count = el("p", { class: "soft", role: "status" }, "Reading …");
    const body = el("tbody");
    const table = el("table", { class: "sandboxes", hidden: true }, el("thead", {}, el("tr", {}, ...HEADS.map((head) => el("th", { scope: "col" }, head)))), body);
    root.append(el("div", { class: "overview" }, count, table));
    keepReading(api, "sandboxes", (lines, problem) => {
      if (lines === null) return setText(count, problem);
      setText(count, summary(lines));
      table.hidden = lines.length === 0;
      drawKeyed(body, lines, (line) => line.name, row);
    }, true);
  },
};

/** @param {SandboxLine[]} lines */
function summary(lines) {
  if (lines.length === 0) return "There is no sandbox; one is made when code is to run.";
  const known = lines.filter((line) => line.memory_bytes !== null);
  const memory = known.reduce((sum, line) => sum + (line.memory_bytes ?? 0), 0);
  const used = known.length === lines.length ? `, ${size(memory)} in use` : "";
  return `${plural(lines.length, "sandbox").replace("boxs", "boxes")}${used}.`;
}

/** @param {SandboxLine} line */
function row({ channel, name: container, state, age_s, executions, memory_bytes }) {
  const word = WORDS[/** @type {keyof typeof WORDS} */ (state)] ?? state;
  return el(
    "tr", { class: state },
    el("th", { scope: "row" }, channel === null ? "no channel" : name(`#${channel}`), el("code", { class: "soft" }, name(container))),
    el("td", {}, word, executions > 0 && el("span", { class: "soft" }, ` ${executions} running`)),
    el("td", {}, span(age_s)),
    el("td", {}, memory_bytes === null ? el("span", { class: "soft", title: "not read yet" }, "…") : size(memory_bytes)),
  );
}
