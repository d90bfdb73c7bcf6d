/** Files that will go with the next message: picked, pasted or dropped. */

import { el, iconButton } from "./dom.js";
import { size } from "./files.js";
import { icon } from "./icons.js";
import { refuse } from "./toast.js";
import { name, visibleText } from "./visible.js";

const MOST = 10;
const MOST_BYTES = 8 * 1024 * 1024;

export class Attachments {
  constructor() {
    /** @type {File[]} */
    this.files = [];
    this.element = el("div", { class: "chips" });
  }

  /** @param {Iterable<File>} files */
  add(files) {
    for (const file of files) {
      if (this.files.length === MOST) {
        refuse(`A message carries ${MOST} files at most.`);
        break;
      }
      if (file.size > MOST_BYTES) refuse(`${file.name} is larger than 8 MiB and cannot be attached.`);
      else this.files.push(file);
    }
    this.#draw();
  }

  /** @returns {File[]} what there is, and lets go of it */
  take() {
    const files = this.files;
    this.files = [];
    this.#draw();
    return files;
  }

  #draw() {
    this.element.replaceChildren(
      ...this.files.map((file) =>
        el("span", { class: "chip" }, icon("file"), name(file.name), el("span", { class: "soft" }, size(file.size)),
          iconButton(icon("close"), `Remove ${visibleText(file.name)}`, {
            onclick: () => {
              this.files = this.files.filter((other) => other !== file);
              this.#draw();
            },
          }),
        ),
      ),
    );
  }
}

/** The whole window takes what is dropped. @param {(files: FileList) => void} take @param {AbortSignal} signal */
export function acceptDrops(take, signal) {
  const veil = el("div", { class: "drop", hidden: true }, "Drop files to attach them");
  document.body.append(veil);
  signal.addEventListener("abort", () => veil.remove());
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    veil.hidden = false;
  }, { signal });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) veil.hidden = true;
  }, { signal });
  addEventListener("drop", (event) => {
    veil.hidden = true;
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    take(event.dataTransfer.files);
  }, { signal });
}
