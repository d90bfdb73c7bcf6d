/**
 * What the web API sends, for the type check.
 *
 * @typedef {object} Part
 * @property {"headline" | "code" | "output" | "note" | "text"} kind
 * @property {string} text
 * @property {string} [glyph]
 * @property {string} [language]
 * @property {number} [first_line]
 * @property {number} [left_out]
 *
 * @typedef {object} Button
 * @property {string} id
 * @property {string} label
 * @property {"primary" | "danger" | "default"} style
 * @property {string} value what was drawn; it goes back with the click
 * @property {"" | "reason" | "choice" | "input"} opens
 *
 * @typedef {object} FileInfo
 * @property {string} name
 * @property {string} url
 * @property {string} media_type
 * @property {number} bytes
 *
 * @typedef {object} Message
 * @property {string} id
 * @property {string} channel
 * @property {string | null} thread
 * @property {string} author
 * @property {string | null} reply_to
 * @property {string} text
 * @property {Part[]} blocks
 * @property {Button[]} buttons
 * @property {FileInfo[]} files
 * @property {string | null} status
 * @property {boolean} edited
 * @property {boolean} deleted
 * @property {boolean} private
 * @property {number} created_at seconds since the epoch
 * @property {number} number the order of messages: of their creation, in the whole chat
 * @property {string} cursor the number of the last change, as text that sorts like it
 *
 * @typedef {object} Person
 * @property {string} id
 * @property {string} name
 * @property {string[]} roles
 *
 * @typedef {Person & {csrf: string, demo: boolean}} Me
 *
 * @typedef {object} Channel
 * @property {string} id
 * @property {string} name
 * @property {string} about
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} body
 */

export const BOT = "fencepost";
