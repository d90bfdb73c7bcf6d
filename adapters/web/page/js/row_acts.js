/** What can be done with a message: by its buttons, its tools and its keys. */

import { sentence, Unreachable } from "./api.js";
import { copied } from "./code_block.js";
import { confirmed } from "./dialogs.js";
import { press } from "./press.js";
import { refuse, tell } from "./toast.js";

/**
 * @typedef {import("./types.js").Message} Message
 * @typedef {import("./session.js").Session} Session
 * @typedef {import("./row.js").Acts} Acts
 */

/**
 * @param {Session} session @param {import("./files.js").Files} files @param {string} face of the bot
 * @param {Pick<Acts, "edit" | "openThread" | "reveal">} places where it is done elsewhere in the page
 * @returns {Acts}
 */
export function rowActs(session, files, face, places) {
  return {
    ...places,
    me: session.me.id,
    botFace: face,
    files,
    person: (id) => session.byId.get(id),
    press: async (message, button) => void (await press(session.api, files, message, button)),
    remove: (message) => void remove(session, message),
    copyLink: (message) => void copyLink(message),
  };
}

/** @param {Acts} acts @param {KeyboardEvent} event @param {Message} message */
export function rowKey(acts, event, message) {
  const isOwn = message.author === acts.me;
  if (event.key === "e" && isOwn && !message.private) acts.edit(message);
  else if (event.key === "Delete" && isOwn) acts.remove(message);
  else if (event.key === "t" && !message.private) acts.openThread?.(message);
  else if (event.key === "c") acts.copyLink(message);
  else return;
  event.preventDefault();
}

/** @param {Session} session @param {Message} message */
async function remove(session, message) {
  if (!(await confirmed("Delete this message?", "Its answer goes with it; what runs is stopped.", "Delete", "danger"))) return;
  try {
    const answer = await session.api.call("DELETE", `/api/messages/${message.id}`);
    if (answer.status >= 400) refuse(sentence(answer));
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    refuse("Fencepost does not answer right now. Nothing was deleted, as far as is known.");
  }
}

/** @param {Message} message */
async function copyLink(message) {
  const link = `${location.origin}/#/${message.channel}/${message.id}`;
  tell((await copied(link)) ? "The link is copied." : link);
}
