/**
 * The right drawer. Each panel is a module of its own with a title and a way to fill an element; the drawer knows
 * nothing else of it.
 */

import { el, freshId, iconButton } from "./dom.js";
import { icon } from "./icons.js";

/**
 * @typedef {object} PanelApi what a panel can do
 * @property {import("./session.js").Session} session who acts, the channels, `onChange`, `api` for requests
 * @property {() => string} channel the channel that is open
 * @property {(channel: string, message: string) => void} reveal
 * @property {import("./row.js").Acts} acts what rows of messages need
 * @property {AbortSignal} signal aborted when the panel goes
 *
 * @typedef {object} Panel
 * @property {string} id
 * @property {string} title
 * @property {(root: HTMLElement, api: PanelApi) => void} render fills the empty element; called again when it is shown again
 * @property {boolean} [isFilled] it brings its own scrolling
 * @property {boolean} [isOfAll] it is about all channels, so it stays when another one is opened
 * @property {(me: import("./types.js").Me) => boolean} [isFor] left out: for everybody
 */

export class Drawer {
  /** @param {Panel[]} panels @param {(signal: AbortSignal) => PanelApi} api @param {(panel: string | null) => void} onChange */
  constructor(panels, api, onChange) {
    this.api = api;
    this.onChange = onChange;
    /** @type {Panel[]} */
    this.panels = panels;
    /** @type {string | null} */
    this.open = null;
    this.ended = new AbortController();
    this.tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    this.tabs.addEventListener("keydown", (event) => this.#key(event));
    this.body = el("div", { class: "panel", role: "tabpanel", id: freshId("panel"), tabindex: -1 });
    const close = iconButton(icon("close"), "Close the panel", { onclick: () => this.close() });
    this.element = el("aside", { class: "drawer", "aria-label": "Panel", hidden: true }, el("header", {}, this.tabs, close), this.body);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.stopPropagation();
      this.close();
    });
  }

  /** @param {Panel} panel a panel for now, such as a thread; one of the same id makes place for it */
  put(panel) {
    this.panels = [panel, ...this.panels.filter((other) => other.id !== panel.id)];
    this.show(panel.id);
  }

  /** @param {string} id @param {boolean} [focus] */
  show(id, focus = true) {
    const panel = this.panels.find((one) => one.id === id);
    if (!panel) return;
    this.ended.abort();
    this.ended = new AbortController();
    this.open = id;
    this.element.hidden = false;
    this.body.className = panel.isFilled ? "panel filled" : "panel";
    this.body.replaceChildren();
    this.#drawTabs();
    panel.render(this.body, this.api(this.ended.signal));
    if (focus) /** @type {HTMLElement} */ (this.body.querySelector("[autofocus]") ?? this.body).focus();
    this.onChange(id);
  }

  /** @param {string} id */
  toggle(id) {
    if (this.open === id) this.close();
    else this.show(id);
  }

  /** Another channel is opened. */
  leaveChannel() {
    if (!this.panels.find((panel) => panel.id === this.open)?.isOfAll) this.close();
  }

  /** What is to be seen may lie under it, where it lies over the rest of the page. */
  uncover() {
    if (getComputedStyle(this.element).position === "fixed") this.close();
  }

  close() {
    if (this.open === null) return;
    this.ended.abort();
    this.open = null;
    this.element.hidden = true;
    this.body.replaceChildren();
    this.onChange(null);
  }

  #drawTabs() {
    this.tabs.replaceChildren(
      ...this.panels.map((panel) =>
        el("button", {
          type: "button", role: "tab", id: `tab-${panel.id}`, "aria-selected": String(panel.id === this.open), "aria-controls": this.body.id,
          tabindex: panel.id === this.open ? 0 : -1, onclick: () => this.show(panel.id, false),
        }, panel.title),
      ),
    );
    this.body.setAttribute("aria-labelledby", `tab-${this.open}`);
    document.getElementById(`tab-${this.open}`)?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = this.panels.findIndex((panel) => panel.id === this.open);
    this.show(this.panels[(at + step + this.panels.length) % this.panels.length].id, false);
    document.getElementById(`tab-${this.open}`)?.focus();
  }
}
