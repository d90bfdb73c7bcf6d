/** What runs and what is in line, in all channels, with the button that ends it. */

import { el, setText } from "../dom.js";
import { fullTime, isoOf } from "../time.js";
import { name, visibleText } from "../visible.js";
import { drawKeyed, keepTidy } from "./keyed.js";
import { keepReading } from "./reading.js";
import { keepTime, plural } from "./spans.js";

/** @typedef {import("./lines.js").ExecutionLine} ExecutionLine @typedef {import("../drawer.js").PanelApi} PanelApi */

/** @type {import("../drawer.js").Panel} */
export const executions = {
  id: "executions",
  title: "Running",
  isOfAll: true,
  render(root, api) {
    const count = el("p", { class: "soft", role: "status" }, "Reading …");
    const items = el("ul", { class: "entries" });
    root.append(el("div", { class: "overview" }, count, items));
    keepTidy(items, api.signal);
    const writeTimes = keepTime(root, api.signal);
    keepReading(api, "executions", (lines, problem) => {
      if (lines === null) return setText(count, problem);
      setText(count, summary(lines));
      drawKeyed(items, lines, (line) => line.request, (line) => item(line, api), { leave: ended });
      writeTimes();
    }, true);
  },
};

/** @param {ExecutionLine[]} lines */
function summary(lines) {
  if (lines.length === 0) return "Nothing runs and nothing is in line.";
  const running = lines.filter((line) => line.state === "running" || line.state === "stopping").length;
  const rest = lines.length - running;
  return `${running || "Nothing"} running${rest ? `, ${plural(rest, "execution")} to come` : ""}.`;
}

/** @param {ExecutionLine} line @param {PanelApi} api */
function item(line, api) {
  const since = el("time", { datetime: isoOf(line.since), title: `since ${fullTime(line.since)}`, "data-since": line.since });
  const state = line.state !== "queued" ? line.state : line.position === 1 ? "next in line" : `number ${line.position} in line`;
  const go = el(
    "button", { type: "button", class: "go", onclick: () => api.reveal(line.channel, line.message ?? line.source) },
    el("span", { class: "first" }, name(line.what)),
    el("span", { class: "second" }, name(`#${line.channel}`), " · ", name(line.requester_name)),
  );
  return el(
    "li", { class: `entry ${line.state}` }, go, el("span", { class: "state" }, el("span", {}, state), " · ", since), end(line, api),
    line.held && el("p", { class: "note" }, name(line.held)),
  );
}

/** @param {HTMLElement} entry */
function ended(entry) {
  const button = entry.querySelector("[data-button]");
  if (button === document.activeElement) entry.querySelector("button")?.focus();
  button?.remove();
  entry.querySelector(".state")?.replaceChildren("ended");
}

/** @param {ExecutionLine} line @param {PanelApi} api */
function end({ channel, message, ends_by, what, requester_name }, { acts, session }) {
  if (!message || !ends_by) return null;
  const label = ends_by === "stop" ? "Stop" : "Cancel";
  const known = session.history(channel).byId.get(message);
  const button = known?.buttons.find((one) => one.id === ends_by);
  const pressed = el("button", { type: "button", class: "danger", "data-button": "end", "aria-label": visibleText(`${label} ${what} of ${requester_name} in #${channel}`) }, label);
  pressed.addEventListener("click", async () => {
    if (pressed.ariaDisabled === "true") return;
    pressed.ariaDisabled = "true";
    try {
      await acts.press(/** @type {any} */ (known ?? { id: message, blocks: [] }), button ?? /** @type {any} */ ({ id: ends_by, label, style: "danger", opens: "" }));
    } finally {
      pressed.ariaDisabled = null;
    }
  });
  return pressed;
}
