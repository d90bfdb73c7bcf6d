/** Server-sent events out of a stream of text: pure, one chunk at a time. */

/** @typedef {{id: string | null, event: string, data: string}} Frame a frame without data still brings its id */

export class FrameReader {
  #rest = "";

  /** @param {string} chunk @returns {Frame[]} */
  read(chunk) {
    const parts = (this.#rest + chunk).split("\n\n");
    this.#rest = parts.pop() ?? "";
    return parts.map(frameOf);
  }
}

/** @param {string} text @returns {Frame} */
function frameOf(text) {
  /** @type {Frame} */
  const frame = { id: null, event: "message", data: "" };
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    if (at <= 0) continue;
    const value = line.slice(at + 1).replace(/^ /, "");
    const name = line.slice(0, at);
    if (name === "id") frame.id = value;
    else if (name === "event") frame.event = value;
    else if (name === "data") frame.data += value;
  }
  return frame;
}
