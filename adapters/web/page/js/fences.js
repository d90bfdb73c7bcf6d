/** Fences in a text, by CommonMark's rules as far as a reader needs them: where code begins and ends. */

/**
 * @typedef {{kind: "prose", text: string}} Prose
 * @typedef {{kind: "fence", info: string, code: string, closed: boolean}} Fence
 */

const OPENING = /^( {0,3})(`{3,}|~{3,})(.*)$/;

/** @param {string} line @returns {{indent: number, mark: string, info: string} | null} */
export function openingOf(line) {
  const match = OPENING.exec(line);
  if (!match || (match[2][0] === "`" && match[3].includes("`"))) return null;
  return { indent: match[1].length, mark: match[2], info: match[3].trim() };
}

/** @param {string} line @param {string} mark of the opening @returns {boolean} */
export function closes(line, mark) {
  const match = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line);
  return match !== null && match[1][0] === mark[0] && match[1].length >= mark.length;
}

/** @param {string} text @returns {(Prose | Fence)[]} */
export function partsOf(text) {
  /** @type {(Prose | Fence)[]} */
  const parts = [];
  /** @type {string[]} */
  let lines = [];
  /** @type {{indent: number, mark: string, info: string} | null} */
  let open = null;
  const put = (/** @type {boolean} */ closed) => {
    if (open) parts.push({ kind: "fence", info: open.info, code: lines.join("\n"), closed });
    else if (lines.some((line) => line.trim())) parts.push({ kind: "prose", text: trimLines(lines) });
    lines = [];
  };
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    /** @type {ReturnType<typeof openingOf>} */
    const opening = open ? null : openingOf(line);
    if (opening) {
      put(true);
      open = opening;
    } else if (open && closes(line, open.mark)) {
      put(true);
      open = null;
    } else {
      lines.push(open ? line.replace(new RegExp(`^ {0,${open.indent}}`), "") : line);
    }
  }
  put(false);
  return parts;
}

/** @param {string[]} lines */
function trimLines(lines) {
  return lines.join("\n").replace(/^(?:[^\S\n]*\n)+|\s+$/g, "");
}

/** @param {string} text @param {number} caret @returns {{mark: string, info: string, indent: number} | null} the fence that is open there */
export function fenceAt(text, caret) {
  /** @type {{indent: number, mark: string, info: string} | null} */
  let open = null;
  for (const line of text.slice(0, caret).split("\n")) {
    if (!open) open = openingOf(line);
    else if (closes(line, open.mark)) open = null;
  }
  return open;
}
