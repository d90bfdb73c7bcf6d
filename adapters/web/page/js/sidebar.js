/** The left column: channels with what is unread, who acts, how the connection is. */

import { el, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
import { nextTheme, setTheme, theme } from "./theme.js";
import { name } from "./visible.js";

/**
 * @typedef {object} SidebarActs
 * @property {string} face
 * @property {(user: string) => void} actAs
 * @property {() => void} logOut
 * @property {() => void} close
 */

export class Sidebar {
  /** @param {import("./session.js").Session} session @param {SidebarActs} acts */
  constructor(session, acts) {
    this.acts = acts;
    /** @type {Map<string, HTMLAnchorElement>} */
    this.links = new Map();
    for (const channel of session.channels) {
      const link = el("a", { class: "channel", href: `#/${channel.id}` }, el("span", { class: "name" }, "# ", name(channel.name)));
      link.addEventListener("click", () => acts.close());
      this.links.set(channel.id, link);
    }
    this.connection = el("span", { class: "connection", role: "status" });
    this.theme = el("button", { type: "button", class: "bare icon" }, icon("theme"));
    this.theme.addEventListener("click", () => {
      setTheme(nextTheme());
      this.#drawTheme();
    });
    this.#drawTheme();
    this.element = el(
      "div", { class: "side", id: "side" },
      el("h1", {}, el("img", { src: acts.face, alt: "" }), "Fencepost"),
      el("nav", { "aria-label": "Channels" }, el("h2", { id: "channels" }, "Channels"),
        el("ul", { "aria-labelledby": "channels" }, ...[...this.links.values()].map((link) => el("li", {}, link)))),
      el("footer", {}, this.#who(session), el("div", { class: "line" }, this.connection, this.theme)),
    );
  }

  /** @param {import("./session.js").Session} session */
  #who(session) {
    const { me, people } = session;
    if (!me.demo) {
      const out = el("button", { type: "button", class: "bare" }, "Log out");
      out.addEventListener("click", () => this.acts.logOut());
      return el("div", { class: "line" }, el("span", {}, name(me.name), el("span", { class: "soft" }, ` · ${me.roles.join(", ")}`)), out);
    }
    const options = people.map((person) => el("option", { value: person.id, selected: person.id === me.id }, `${person.name} · ${person.roles.join(", ")}`));
    const select = el("select", { id: "actor" }, ...options);
    select.addEventListener("change", () => this.acts.actAs(select.value));
    return el("label", {}, "In this tab you act as", select);
  }

  #drawTheme() {
    const label = `Colours: ${theme() === "auto" ? "as the system" : theme()}`;
    this.theme.title = label;
    this.theme.setAttribute("aria-label", label);
  }

  /** @param {string} current @param {(channel: string) => number} unread */
  draw(current, unread) {
    for (const [channel, link] of this.links) {
      const count = channel === current ? 0 : unread(channel);
      setAttribute(link, "aria-current", channel === current ? "page" : null);
      link.classList.toggle("unread", count > 0);
      let badge = link.querySelector(".badge");
      if (!count) badge?.remove();
      else {
        if (!badge) link.append((badge = el("span", { class: "badge" })));
        setText(badge, count > 99 ? "99+" : String(count));
        badge.setAttribute("aria-label", `${count} unread`);
        badge.setAttribute("role", "img");
      }
    }
  }

  /** @param {import("./stream.js").State} state @param {number} retryInS */
  drawState(state, retryInS) {
    setAttribute(this.connection, "data-state", state);
    const text = { open: "Connected", connecting: "Connecting …", waiting: retryInS > 2 ? `No connection; next try in ${Math.round(retryInS)} s` : "No connection; trying again", refused: "Logged out" }[state];
    setText(this.connection, text);
  }
}
