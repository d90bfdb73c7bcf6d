/**
 * Files of messages. Fetched by script, since in the demo each tab is somebody of its own, and shown only if they are
 * pictures of a kind that cannot carry code.
 */

import { read } from "./dialogs.js";
import { el, setText } from "./dom.js";
import { icon } from "./icons.js";
import { name, visibleText } from "./visible.js";

/** @typedef {import("./types.js").FileInfo} FileInfo @typedef {import("./api.js").Api} Api */

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const KEPT = 60;

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export class Files {
  /** @param {Api} api @param {(text: string) => void} complain */
  constructor(api, complain) {
    this.api = api;
    this.complain = complain;
    /** Object URLs by address, the last used at the end. @type {Map<string, string>} */
    this.urls = new Map();
  }

  /** @param {FileInfo} file @returns {Promise<Blob>} */
  async load(file) {
    if (!file.url.startsWith("/api/files/")) throw new Error("That is no file of this chat.");
    const response = await this.api.fetch(file.url);
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).text ?? "That file cannot be read.");
    return response.blob();
  }

  /** @param {FileInfo} file @returns {HTMLElement} */
  draw(file) {
    return PICTURES.has(file.media_type) ? this.#picture(file) : this.#download(file);
  }

  /** @param {FileInfo} file */
  #download(file) {
    return el(
      "a",
      { class: "file", href: file.url, download: file.name, onclick: (/** @type {Event} */ event) => this.#save(event, file) },
      icon("file"), name(file.name), el("span", { class: "soft" }, size(file.bytes)),
    );
  }

  /** @param {Event} event @param {FileInfo} file */
  async #save(event, file) {
    event.preventDefault();
    try {
      await this.save(file);
    } catch (error) {
      this.complain(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {FileInfo} file */
  async save(file) {
    const url = URL.createObjectURL(new Blob([await this.load(file)], { type: "application/octet-stream" }));
    el("a", { href: url, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  /** @param {FileInfo} file */
  #picture(file) {
    const place = el("span", { class: "wait" }, "Loading picture …");
    const button = el("button", { type: "button", "aria-label": `Enlarge ${visibleText(file.name)}` }, place);
    this.#url(file).then(
      (url) => {
        const image = el("img", { src: url, alt: visibleText(file.name), decoding: "async" });
        image.addEventListener("error", () => image.replaceWith(el("span", { class: "wait" }, "This picture cannot be drawn.")));
        place.replaceWith(image);
        button.addEventListener("click", () => this.#enlarge(url, file));
      },
      (error) => setText(place, error instanceof Error ? error.message : "That file cannot be read."),
    );
    const save = el("button", { type: "button", class: "link", onclick: (/** @type {Event} */ event) => this.#save(event, file) }, "Save");
    return el("figure", { class: "picture" }, button, el("figcaption", {}, name(file.name), el("span", {}, size(file.bytes)), save));
  }

  /** @param {string} url @param {FileInfo} file */
  #enlarge(url, file) {
    const save = el("button", { type: "button", onclick: (/** @type {Event} */ event) => this.#save(event, file) }, "Save");
    void read(file.name, [el("img", { src: url, alt: visibleText(file.name) })], [save]);
  }

  /** @param {FileInfo} file @returns {Promise<string>} */
  async #url(file) {
    const known = this.urls.get(file.url);
    const blob = known ? null : await this.load(file);
    if (blob && !PICTURES.has(blob.type)) throw new Error("This is no picture.");
    const url = known ?? URL.createObjectURL(/** @type {Blob} */ (blob));
    this.urls.delete(file.url);
    this.urls.set(file.url, url);
    for (const [address, old] of this.urls) {
      if (this.urls.size <= KEPT) break;
      URL.revokeObjectURL(old);
      this.urls.delete(address);
    }
    return url;
  }

  end() {
    for (const url of this.urls.values()) URL.revokeObjectURL(url);
    this.urls.clear();
  }
}
