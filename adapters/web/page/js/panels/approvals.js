/** What waits for a click, in all channels: the cards themselves, with their buttons; those first that this person may decide. */

import { el, setText } from "../dom.js";
import { Row } from "../row.js";
import { fullTime, isoOf, localTimes } from "../time.js";
import { name } from "../visible.js";
import { drawKeyed, keepTidy } from "./keyed.js";
import { keepReading } from "./reading.js";
import { keepTime, plural } from "./spans.js";

/** @typedef {import("./lines.js").ApprovalLine} ApprovalLine @typedef {import("../drawer.js").PanelApi} PanelApi */

/** @type {import("../drawer.js").Panel} */
export const approvals = {
  id: "approvals",
  title: "Approvals",
  isOfAll: true,
  render(root, api) {
    const count = el("p", { class: "soft", role: "status" }, "Reading …");
    const [own, others] = [list("Yours to decide"), list("For others to decide")];
    root.append(el("div", { class: "overview approvals" }, count, own.section, others.section));
    for (const { items } of [own, others]) keepTidy(items, api.signal);
    const writeTimes = keepTime(root, api.signal);
    api.session.onChange(() => showDecided(root, api), api.signal);
    keepReading(api, "approvals", (lines, problem) => {
      if (lines === null) return setText(count, problem);
      const mine = lines.filter((line) => line.may_decide);
      setText(count, summary(lines.length, mine.length));
      draw(own, mine, api);
      draw(others, lines.filter((line) => !line.may_decide), api);
      writeTimes();
    });
  },
};

/** @param {string} title */
function list(title) {
  const items = el("ul", { class: "waiting" });
  return { items, section: el("section", {}, el("h3", {}, title), items) };
}

/** @param {number} all @param {number} mine */
function summary(all, mine) {
  if (all === 0) return "Nothing waits for approval.";
  return `${plural(all, "request")} ${all === 1 ? "waits" : "wait"}, ${mine === 0 ? "none" : mine} for you to decide.`;
}

/** @param {ReturnType<typeof list>} place @param {ApprovalLine[]} lines @param {PanelApi} api */
function draw({ items }, lines, api) {
  const place = (/** @type {ApprovalLine} */ line) => ({ position: lines.indexOf(line), count: lines.length });
  drawKeyed(items, lines, (line) => line.request, (line) => item(line, api, place(line)), {
    patch: (element, line) => patch(element, line, api, place(line)),
    leave: (element) => decided(element, api),
  });
}

/** What was decided shows how that went on. @param {HTMLElement} root @param {PanelApi} api */
function showDecided(root, api) {
  for (const element of root.querySelectorAll("[data-gone]")) decided(/** @type {HTMLElement} */ (element), api);
}

/** The card stays as large as it is. @param {HTMLElement} element @param {PanelApi} api */
function decided(element, { session }) {
  const row = rows.get(element);
  if (row?.pressable.contains(document.activeElement)) row.element.focus();
  const message = row && session.history(row.message.channel).byId.get(row.message.id);
  const head = message?.blocks.find((part) => part.kind === "headline")?.text ?? "decided";
  const where = /** @type {HTMLElement} */ (element.firstElementChild);
  const now = el("span", { class: "now" }, name(localTimes(head, message?.created_at ?? Date.now() / 1000)));
  where.replaceChildren(/** @type {Element} */ (where.firstElementChild), " · ", now);
}

/** @type {WeakMap<Element, Row>} */
const rows = new WeakMap();

/** @typedef {{position: number, count: number}} Place @param {ApprovalLine} line @param {PanelApi} api @param {Place} place */
function item(line, api, place) {
  const element = el("li", { class: "item" }, el("p", { class: "where" }));
  const { card } = line;
  if (card) {
    const row = new Row(card, { ...api.acts, openThread: null, reveal: (id) => api.reveal(line.channel, id) });
    rows.set(element, row);
    element.append(row.element);
  } else element.append(el("p", { class: "soft" }, `${line.requester_name} wants to run ${line.what}; its card is not there yet.`));
  patch(element, line, api, place);
  return element;
}

/** @param {HTMLElement} element @param {ApprovalLine} line @param {PanelApi} api @param {Place} place @returns {boolean} */
function patch(element, line, { session, reveal }, place) {
  const { card, channel } = line;
  const row = rows.get(element);
  if (Boolean(card) !== Boolean(row)) return false;
  const go = el("button", { type: "button", class: "link", onclick: () => reveal(channel, line.message ?? line.source) }, name(`#${channel}`));
  const until = line.expires_at === null ? [] : [" · ", el("time", { datetime: isoOf(line.expires_at), title: fullTime(line.expires_at), "data-until": line.expires_at }), " left"];
  element.firstElementChild?.replaceChildren(go, " · ", name(`waits for ${line.missing}`), ...until);
  if (card && row) {
    const asked = session.history(channel).byId.get(line.source);
    row.update(card, { previous: card, asked, replies: 0, isFirstNew: false, isAimed: false, ...place });
  }
  return true;
}
