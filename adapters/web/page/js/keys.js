/** Keys that work wherever one is. */

import { dismiss } from "./toast.js";

/**
 * @typedef {object} KeyActs
 * @property {() => void} search
 * @property {() => void} write
 * @property {() => void} read to the messages
 * @property {(step: number) => void} otherChannel
 * @property {() => boolean} close whatever lies over the page
 */

/** @param {KeyActs} acts @param {AbortSignal} signal */
export function listen(acts, signal) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const isWriting = target.matches("input, textarea, select");
    const withControl = event.ctrlKey || event.metaKey;
    if (withControl && event.key.toLowerCase() === "k") acts.search();
    else if (event.altKey && event.key === "ArrowDown") acts.otherChannel(1);
    else if (event.altKey && event.key === "ArrowUp") acts.otherChannel(-1);
    else if (event.key === "Escape") {
      if (dismiss() || acts.close()) event.preventDefault();
      else if (target.matches("textarea")) acts.read();
      return;
    } else if (isWriting || withControl || event.altKey) return;
    else if (event.key === "/") acts.write();
    else if ((event.key === "j" || event.key === "k") && !target.closest(".feed")) acts.read();
    else return;
    event.preventDefault();
  }, { signal });
}
