/** A click on a button of the bot's: with what it opens first, what the server still wants to know, and what it says. */

import { sentence, Unreachable } from "./api.js";
import { codeBlock } from "./code_block.js";
import { askChoice, askInput, askReason, confirmed, read } from "./dialogs.js";
import { el } from "./dom.js";
import { refuse, tell } from "./toast.js";
import { visible } from "./visible.js";

/**
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./types.js").Button} Button
 * @typedef {import("./types.js").FileInfo} FileInfo
 */

const SHOWN_CHARS = 200000;

/**
 * @param {import("./api.js").Api} api @param {import("./files.js").Files} files
 * @param {Message} message @param {Button} button
 * @returns {Promise<boolean>} whether it was carried out
 */
export async function press(api, files, message, button) {
  const filled = await fill(button);
  if (filled === null) return false;
  /** @type {Record<string, unknown>} */
  let body = { value: button.value, ...filled };
  try {
    for (;;) {
      const answer = await api.post(`/api/messages/${message.id}/buttons/${button.id}`, body);
      if (answer.status === 409) {
        const more = await answerTo(answer.body, button);
        if (more === null) return false;
        body = { ...body, ...more };
      } else if (answer.status < 300) {
        await show(files, button, message, answer.body);
        return true;
      } else {
        refuse(sentence(answer));
        return false;
      }
    }
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    refuse("Fencepost does not answer right now. Look at the message before you press again: the click may have arrived.");
    return false;
  }
}

/** @param {Button} button @returns {Promise<Record<string, unknown> | null>} null: it was left */
async function fill(button) {
  if (button.opens === "input") return askInput();
  if (button.opens !== "reason") return {};
  const reason = await askReason("Deny this run", "Reason, for everybody to read (may be left empty)", false, "Deny");
  if (reason === null) return null;
  return reason ? { reason } : {};
}

/** @param {any} body of a 409 @param {Button} button @returns {Promise<Record<string, unknown> | null>} */
async function answerTo(body, button) {
  if (body.confirm) return (await confirmed("Approve code that was not shown whole?", body.confirm, "Approve")) ? { confirm: true } : null;
  if (body.choices) {
    const choice = await askChoice(body.text || "Approve and remember", body.choices);
    return choice === null ? null : { choice };
  }
  const reason = await askReason("A reason is needed", body.reason ?? "Reason", true, button.id === "deny" ? "Deny" : "Go on");
  return reason ? { reason } : null;
}

/** @param {import("./files.js").Files} files @param {Button} button @param {Message} message @param {any} body of a 202 */
async function show(files, button, message, body) {
  const text = body.text ?? "";
  if (button.id === "show_code" && text) {
    const language = message.blocks.find((part) => part.kind === "code")?.language ?? "";
    void read("All of the code", [el("div", { class: "reading", tabindex: 0 }, codeBlock({ code: text, language }))]);
  } else if (body.files?.length) await showFile(files, body.files, text);
  else if (button.id === "full_output" && text) void read("Full output", [reading(text)]);
  else if (text) tell(text);
}

/** @param {import("./files.js").Files} files @param {FileInfo[]} given @param {string} text */
async function showFile(files, given, text) {
  const pieces = [text];
  for (const file of given) pieces.push(await (await files.load(file)).text());
  const whole = pieces.filter(Boolean).join("\n");
  const cut = whole.length > SHOWN_CHARS ? `${whole.slice(0, SHOWN_CHARS)}\n… the rest is in the file …` : whole;
  void read("Full output", [reading(cut), el("div", { class: "files" }, ...given.map((file) => files.draw(file)))]);
}

/** @param {string} text */
function reading(text) {
  return el("pre", { class: "reading", tabindex: 0 }, ...visible(text, false));
}
