/** Colours for code: a small tokenizer, good enough to read by. Each pattern runs in time linear in the text. */

/** @typedef {[kind: string, text: string]} Token an empty kind is plain text */

const NUMBER = /0[xX][\da-fA-F_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jn]?/y;
const words = (/** @type {string} */ list) => new Set(list.split(" "));

/**
 * @typedef {object} Grammar
 * @property {[string, RegExp][]} rules tried in order
 * @property {RegExp} word
 * @property {Set<string>} keys
 * @property {Set<string>} names
 */

/** @type {Grammar} */
const PYTHON = {
  rules: [
    ["com", /#[^\n]*/y],
    ["str", /[rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?)/y],
    ["num", NUMBER],
    ["var", /@[\w.]+/y],
  ],
  word: /[\p{L}_][\p{L}\p{N}_]*/uy,
  keys: words("False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield"),
  names: words("abs all any bool bytes dict enumerate filter float format getattr input int isinstance iter len list map max min next object open print range repr reversed round set sorted str sum super tuple type zip self Exception ValueError KeyError TypeError"),
};

/** @type {Grammar} */
const SHELL = {
  rules: [
    ["com", /(?<![^\s;(])#[^\n]*/y],
    ["str", /"(?:\\[^]|[^"\\])*"?|'[^']*'?/y],
    ["var", /\$(?:\{[^}\n]*\}?|[\w@*#?$!-]+)/y],
    ["num", /(?<![\w./-])\d+(?![\w./-])/y],
  ],
  word: /[A-Za-z_][\w-]*/y,
  keys: words("if then elif else fi for while until do done case esac in function select time return exit local export readonly declare set unset shift break continue trap"),
  names: words("echo printf cd ls cat grep sed awk find test read source eval exec curl git jq head tail sort uniq wc xargs mkdir rm cp mv chmod python3 pip node"),
};

/** @type {Grammar} */
const SCRIPT = {
  rules: [
    ["com", /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y],
    ["str", /"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|`(?:\\[^]|[^`\\])*`?/y],
    ["num", NUMBER],
  ],
  word: /[\p{L}_$][\p{L}\p{N}_$]*/uy,
  keys: words("async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield"),
  names: words("Array Object String Number Boolean Map Set Promise JSON Math Date RegExp Error console process require module globalThis"),
};

/** @type {Record<string, Grammar>} */
const GRAMMARS = {
  python: PYTHON, py: PYTHON, python3: PYTHON,
  bash: SHELL, sh: SHELL, shell: SHELL,
  javascript: SCRIPT, js: SCRIPT, node: SCRIPT,
};

/** Longer code is shown without colours. */
export const MOST_CHARS = 60000;

/** @param {string} code @param {string} language @returns {Token[]} */
export function tokens(code, language) {
  const grammar = GRAMMARS[language.toLowerCase()];
  if (!grammar || code.length > MOST_CHARS) return [["", code]];
  /** @type {Token[]} */
  const found = [];
  let plain = 0;
  let at = 0;
  const put = (/** @type {string} */ kind, /** @type {number} */ end) => {
    if (at > plain) found.push(["", code.slice(plain, at)]);
    found.push([kind, code.slice(at, end)]);
    at = plain = end;
  };
  while (at < code.length) {
    const rule = grammar.rules.find(([, pattern]) => matches(pattern, code, at));
    if (rule) put(rule[0], rule[1].lastIndex);
    else if (matches(grammar.word, code, at)) {
      const end = grammar.word.lastIndex;
      const kind = kindOf(code.slice(at, end), grammar, code[end]);
      if (kind) put(kind, end);
      else at = end;
    } else at += 1;
  }
  if (at > plain) found.push(["", code.slice(plain)]);
  return found;
}

/** @param {RegExp} pattern @param {string} code @param {number} at */
function matches(pattern, code, at) {
  pattern.lastIndex = at;
  return pattern.test(code) && pattern.lastIndex > at;
}

/** @param {string} word @param {Grammar} grammar @param {string | undefined} next */
function kindOf(word, grammar, next) {
  if (grammar.keys.has(word)) return "key";
  return grammar.names.has(word) || (next === "(" && grammar !== SHELL) ? "fun" : "";
}

/** @param {Token[]} list @returns {Token[][]} the same, line by line */
export function byLine(list) {
  /** @type {Token[][]} */
  const lines = [[]];
  for (const [kind, text] of list) {
    text.split("\n").forEach((piece, index) => {
      if (index) lines.push([]);
      if (piece) lines[lines.length - 1].push([kind, piece]);
    });
  }
  return lines;
}
