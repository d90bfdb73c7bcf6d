/** The rules of each channel in words, with what each of them did in the last seven days; the open channel's first. */

import { el, setText } from "../dom.js";
import { name, visible } from "../visible.js";
import { drawKeyed } from "./keyed.js";
import { keepReading } from "./reading.js";
import { plural } from "./spans.js";

/** @typedef {import("./lines.js").ChannelPolicy} ChannelPolicy @typedef {import("./lines.js").RuleLine} RuleLine */

const DID = { allow: "allowed", ask: "asked", deny: "refused" };

/** @type {import("../drawer.js").Panel} */
export const policy = {
  id: "policy",
  title: "Policy",
  isOfAll: true,
  render(root, api) {
    const problemLine = el("p", { class: "soft", role: "status" }, "Reading …");
    const items = el("div", { class: "policies" });
    root.append(el("div", { class: "overview" }, problemLine, items));
    const open = new Set([api.channel()]);
    keepReading(api, "policies", (policies, problem) => {
      setText(problemLine, problem);
      problemLine.hidden = !problem;
      if (policies === null) return;
      const here = api.channel();
      const sorted = [...policies].sort((one, other) => Number(other.channel === here) - Number(one.channel === here));
      drawKeyed(items, sorted, (one) => one.channel, (one) => channel(one, open));
    });
  },
};

/** @param {ChannelPolicy} policy @param {Set<string>} open channels that are unfolded */
function channel(policy, open) {
  const details = el(
    "details", { open: open.has(policy.channel) },
    el("summary", {}, el("h3", {}, name(`#${policy.channel}`)), el("span", { class: "soft" }, name(policy.name), " ", el("code", { title: "The start of this revision's name" }, policy.revision))),
    el("ul", { class: "rules" }, ...policy.rules.map(rule)),
    el("p", { class: "soft who" }, ...policy.approvers.flatMap(({ group, people }, at) => [at ? el("br") : "", name(`@${group}: ${people.join(", ") || "nobody"}`)])),
  );
  details.addEventListener("toggle", () => (details.open ? open.add(policy.channel) : open.delete(policy.channel)));
  return details;
}

/** @param {RuleLine} rule */
function rule({ id, effect, text, why, remembered, in_force, times, ran }) {
  return el(
    "li", { class: in_force ? "rule" : "rule over" },
    el("span", { class: `effect ${effect}` }, effect),
    el("div", {},
      el("p", {}, ...visible(text, false), !in_force && el("span", { class: "soft" }, " (not in force)")),
      why && el("p", { class: "note" }, "Why: ", ...visible(why, false)),
      el("p", { class: "note" }, id !== null && el("code", {}, ...visible(id)), id !== null && `${remembered ? ", remembered" : ""} · `, did(effect, times, ran)),
    ),
  );
}

/** @param {"allow" | "ask" | "deny"} effect @param {number} times @param {number} ran */
function did(effect, times, ran) {
  if (times === 0) return "nothing in 7 days";
  const after = effect === "deny" || (effect === "allow" && ran === times) ? "" : `, ${ran === 0 ? "none" : ran} ran`;
  return `${DID[effect]} ${plural(times, "request")} in 7 days${after}`;
}
