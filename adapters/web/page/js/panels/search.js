/** Search in the channel that is open: in all that is loaded, while the older messages are loaded. */

import { el, setText } from "../dom.js";
import { fullTime, timeOf } from "../time.js";
import { BOT } from "../types.js";
import { name } from "../visible.js";

/** @typedef {import("../types.js").Message} Message */

const SHOWN = 60;
const SNIPPET = 160;

/** @type {import("../drawer.js").Panel} */
export const search = {
  id: "search",
  title: "Search",
  render(root, { session, channel, reveal, signal }) {
    const where = channel();
    const history = session.history(where);
    const input = el("input", { type: "search", autofocus: true, "aria-label": `Search in #${where}`, placeholder: `Search in #${where}` });
    const count = el("p", { class: "soft", role: "status" });
    const hits = el("div");
    root.append(el("div", { class: "search" }, input, count, hits));

    const draw = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = words.length ? find([...history.byId.values()], words) : [];
      const still = history.complete ? "" : " so far; older messages are being loaded …";
      setText(count, words.length ? `${found.length} ${found.length === 1 ? "message" : "messages"}${still}` : "Words in messages, code and output.");
      hits.replaceChildren(...found.slice(0, SHOWN).map((message) => hit(message, words, () => reveal(where, message.id))));
    };
    input.addEventListener("input", draw);
    session.onChange(draw, signal);
    draw();
    void loadAll();

    async function loadAll() {
      while (!signal.aborted && (await session.older(where).catch(() => false)));
      if (!signal.aborted) draw();
    }
  },
};

/** @param {Message[]} messages @param {string[]} words @returns {Message[]} the newest first */
function find(messages, words) {
  return messages
    .filter((message) => {
      const text = `${message.author}\n${message.text}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((one, other) => other.number - one.number);
}

/** @param {Message} message @param {string[]} words @param {() => void} open */
function hit(message, words, open) {
  const at = Math.max(0, message.text.toLowerCase().indexOf(words[0]));
  const from = Math.max(0, at - 40);
  const snippet = (from ? "…" : "") + message.text.slice(from, from + SNIPPET).replace(/\n+/g, " ⏎ ");
  const when = el("span", { class: "soft", title: fullTime(message.created_at) }, ` ${timeOf(message.created_at)}`);
  return el(
    "button", { type: "button", class: "hit", onclick: open },
    el("span", {}, el("span", { class: "who" }, name(message.author === BOT ? "Fencepost" : message.author)), when,
      el("span", { class: "snippet" }, ...marked(snippet, words))),
  );
}

/** @param {string} text @param {string[]} words @returns {(Node | string)[]} */
function marked(text, words) {
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
  return text.split(pattern).map((piece, index) => (index % 2 ? el("mark", {}, piece) : piece));
}
