/** Small drawings, so that the page looks the same where no emoji are installed. */

const NS = "http://www.w3.org/2000/svg";
const RING = "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z";

/** @type {Record<string, string>} */
const PATHS = {
  running: `${RING} M8 4.6V8l2.4 1.6`,
  lock: "M3.5 7.2h9v6.6h-9z M5.3 7.2V5a2.7 2.7 0 0 1 5.4 0v2.2 M8 9.8v1.6",
  done: `${RING} M5.2 8.2l2 2 3.7-4.2`,
  failed: `${RING} M5.8 5.8l4.4 4.4 M10.2 5.8l-4.4 4.4`,
  timer: "M8 3.2a5.4 5.4 0 1 0 0 10.8A5.4 5.4 0 0 0 8 3.2z M8 6v2.8l1.8 1.2 M6.4 1.4h3.2",
  memory: "M4 4h8v8H4z M6.5 6.5h3v3h-3z M6.5 1.5V4 M9.5 1.5V4 M6.5 12v2.5 M9.5 12v2.5 M1.5 6.5H4 M1.5 9.5H4 M12 6.5h2.5 M12 9.5h2.5",
  cut: "M4.2 13.2a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z M11.8 13.2a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z M5.2 9.9L11 2 M10.8 9.9L5 2",
  hand: `${RING} M5.8 5.8h4.4v4.4H5.8z`,
  denied: `${RING} M3.8 3.8l8.4 8.4`,
  again: "M13.4 8a5.4 5.4 0 1 1-1.6-3.8 M12 1.6v2.8H9.2",
  menu: "M2.5 4h11 M2.5 8h11 M2.5 12h11",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z M10.4 10.4l3.2 3.2",
  panel: "M2 3h12v10H2z M10 3v10",
  close: "M4 4l8 8 M12 4l-8 8",
  edit: "M10.8 2.8l2.4 2.4-7.6 7.6-3 .6.6-3z",
  remove: "M3 4.5h10 M6 4.5V2.8h4v1.7 M4.4 4.5l.6 8.9h6l.6-8.9",
  thread: "M2.5 3h11v7.6H7.6L4.6 13v-2.4H2.5z",
  link: "M6.6 9.4l2.8-2.8 M7.4 4.6l1.4-1.4a2.8 2.8 0 0 1 4 4l-1.4 1.4 M8.6 11.4l-1.4 1.4a2.8 2.8 0 0 1-4-4l1.4-1.4",
  copy: "M5.5 5.5h8v8h-8z M10.5 5.5v-3h-8v8h3",
  file: "M4 1.8h5l3.2 3.2v9.2H4z M9 1.8V5h3.2",
  attach: "M12.8 7.4l-5 5a3 3 0 0 1-4.2-4.2l5.4-5.4a2 2 0 0 1 2.8 2.8l-5.3 5.3a1 1 0 0 1-1.4-1.4L9.8 5",
  send: "M2.4 8h9.8 M8.2 3.6L12.6 8l-4.4 4.4",
  theme: `${RING} M8 1.8v12.4 M8 4.4h3.9 M8 7.2h5.4 M8 10h5`,
};

/** @type {Record<string, [string, string]>} glyph of a headline: drawing and tone */
const GLYPHS = {
  "⏳": ["running", "busy"],
  "🔒": ["lock", "warn"],
  "✅": ["done", "good"],
  "❌": ["failed", "bad"],
  "⏱": ["timer", "bad"],
  "🧠": ["memory", "bad"],
  "✂️": ["cut", "bad"],
  "✋": ["hand", "soft"],
  "⛔": ["denied", "bad"],
  "♻️": ["again", "warn"],
};

/** @param {string} name */
export function icon(name) {
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(NS, "path");
  path.setAttribute("d", PATHS[name] ?? RING);
  svg.append(path);
  return svg;
}

/** @param {string} glyph @returns {{drawing: Node | string, tone: string}} the glyph itself where there is no drawing */
export function glyphIcon(glyph) {
  const known = GLYPHS[glyph];
  return known ? { drawing: icon(known[0]), tone: known[1] } : { drawing: glyph, tone: "soft" };
}
