/** The last day in all channels: who asked, what or who let it run or kept it from running, and how it ended. */

import { el, setText } from "../dom.js";
import { icon } from "../icons.js";
import { dayOf, fullTime, isoOf, isSameDay, timeOf } from "../time.js";
import { name } from "../visible.js";
import { drawKeyed } from "./keyed.js";
import { keepReading } from "./reading.js";
import { duration, plural } from "./spans.js";

/** @typedef {import("./lines.js").HistoryLine} HistoryLine @typedef {import("../drawer.js").PanelApi} PanelApi */

const FIRST = 100;
const MOST = 500;

/** @type {Record<string, [string, string]>} outcome: drawing and tone */
const SIGNS = {
  completed: ["done", "good"],
  failed: ["failed", "bad"],
  timed_out: ["timer", "bad"],
  out_of_memory: ["memory", "bad"],
  output_exceeded: ["cut", "bad"],
  too_many_processes: ["failed", "bad"],
  cancelled: ["hand", "soft"],
  refused: ["denied", "bad"],
  denied: ["denied", "bad"],
  expired: ["denied", "soft"],
};

/** @type {import("../drawer.js").Panel} */
export const history = {
  id: "history",
  title: "History",
  isOfAll: true,
  render(root, api) {
    const count = el("p", { class: "soft", role: "status" }, "Reading …");
    const items = el("ul", { class: "entries" });
    let limit = FIRST;
    const more = el("button", { type: "button", hidden: true }, "Show more");
    root.append(el("div", { class: "overview" }, count, items, more));
    const read = keepReading(api, () => `history?limit=${limit}`, (lines, problem) => {
      if (lines === null) return setText(count, problem);
      setText(count, summary(lines, limit));
      more.hidden = lines.length < limit || limit === MOST;
      drawKeyed(items, lines, (line) => line.request, (line) => item(line, api));
    });
    more.addEventListener("click", () => {
      limit = MOST;
      read();
    });
  },
};

/** @param {HistoryLine[]} lines @param {number} limit */
function summary(lines, limit) {
  if (lines.length === 0) return "Nothing has ended in the last 24 hours.";
  const ran = lines.filter((line) => line.took_s !== null).length;
  if (lines.length === limit) return `The last ${limit} requests that ended, ${ran} of them ran.`;
  return `${plural(lines.length, "request")} ended in the last 24 hours, ${ran === lines.length ? "all" : ran} of them ran.`;
}

/** @param {HistoryLine} line @param {PanelApi} api */
function item(line, api) {
  const [drawing, tone] = SIGNS[line.outcome] ?? ["again", "warn"];
  const at = line.ended_at ?? line.asked_at;
  const when = isSameDay(at, Date.now() / 1000) ? timeOf(at) : `${dayOf(at).split(" ")[0].slice(0, 3)} ${timeOf(at)}`;
  const took = line.took_s === null ? "" : ` · ${duration(line.took_s)}`;
  const go = el(
    "button", { type: "button", class: "go", onclick: () => api.reveal(line.channel, line.message ?? line.source) },
    el("span", { class: `sign ${tone}` }, icon(drawing)),
    el("span", { class: "first" }, name(line.what), el("span", { class: "soft" }, ` ${line.outcome.replaceAll("_", " ")}${took}`)),
    el("time", { class: "soft", datetime: isoOf(at), title: fullTime(at) }, when),
    el("span", { class: "second" }, name(`#${line.channel}`), " · ", name(line.requester_name), " · ", name(line.decided), " ", el("code", {}, `${line.binding.slice(0, 4)} ${line.binding.slice(4)}`)),
  );
  return el("li", { class: "entry" }, go);
}
