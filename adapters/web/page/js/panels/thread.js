/** A thread: the message that starts it, what was replied, and a place to write. */

import { Composer } from "../composer.js";
import { el } from "../dom.js";
import { Feed } from "../feed.js";
import { rowKey } from "../row_acts.js";

/** @typedef {import("../types.js").Message} Message */

/**
 * @param {string} channel @param {string} root the message that starts it
 * @param {(letter: {channel: string, thread: string | null, text: string, files: File[]}) => void} send
 * @param {{reveal: string | null}} aim a reply to show first
 * @returns {import("../drawer.js").Panel}
 */
export function threadPanel(channel, root, send, aim) {
  return {
    id: "thread",
    title: "Thread",
    isFilled: true,
    render(element, { session, acts, signal }) {
      const history = session.history(channel);
      const items = () => [history.byId.get(root), ...history.replies(root)].filter((message) => message !== undefined);
      /** @type {Message[]} */
      let shown = [];
      /** @type {import("../row.js").Acts} */
      const here = { ...acts, openThread: null, edit: (message) => composer.edit(message) };
      const feed = new Feed(here, { label: "Thread", onKey: (event, message) => rowKey(here, event, message) });
      const composer = new Composer(session.api, {
        label: "Reply in the thread",
        draftKey: `fencepost.draft.${session.me.id}.${root}`,
        lastOwn: () => history.replies(root).findLast((message) => message.author === session.me.id && !message.private),
        send: (text, files) => send({ channel, thread: root, text, files }),
      });
      composer.area.setAttribute("autofocus", "");
      element.append(el("div", { class: "middle thread-box" }, feed.element, composer.element));
      const refresh = () => {
        shown.splice(0, shown.length, ...items());
        feed.schedule();
      };
      shown = items();
      feed.show({
        items: shown,
        around: (index) => ({
          previous: shown[index - 1],
          asked: history.byId.get(shown[index].reply_to ?? ""),
          replies: 0,
          isFirstNew: false,
          isAimed: shown[index].id === aim.reveal,
          position: index,
          count: shown.length,
        }),
      });
      if (aim.reveal) feed.reveal(aim.reveal, false);
      session.onChange(refresh, signal);
      signal.addEventListener("abort", () => feed.end());
    },
  };
}
