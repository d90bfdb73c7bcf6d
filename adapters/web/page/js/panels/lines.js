/**
 * What `/api/overview/…` gives, for the type check.
 *
 * @typedef {object} Line
 * @property {string} channel
 * @property {string} request
 * @property {string} source
 * @property {string | null} message the bot's, null until it is posted
 * @property {string} requester
 * @property {string} requester_name
 * @property {string} what
 *
 * @typedef {object} OfApproval
 * @property {string} binding
 * @property {string} needs
 * @property {string} missing
 * @property {string[]} groups
 * @property {number} asked_at
 * @property {number | null} expires_at
 * @property {boolean} may_decide
 * @property {import("../types.js").Message | null} card
 * @typedef {Line & OfApproval} ApprovalLine
 *
 * @typedef {object} OfExecution
 * @property {"running" | "stopping" | "starting" | "queued" | "held"} state
 * @property {number} position
 * @property {number} since
 * @property {string | null} held
 * @property {"stop" | "cancel" | null} ends_by
 * @typedef {Line & OfExecution} ExecutionLine
 *
 * @typedef {object} OfHistory
 * @property {string} binding
 * @property {string} decided
 * @property {string} outcome
 * @property {number} asked_at
 * @property {number | null} ended_at
 * @property {number | null} took_s
 * @typedef {Line & OfHistory} HistoryLine
 *
 * @typedef {object} SandboxLine
 * @property {string | null} channel
 * @property {string} name
 * @property {string} state
 * @property {number} age_s
 * @property {number} executions
 * @property {number | null} memory_bytes
 *
 * @typedef {object} RuleLine
 * @property {string | null} id
 * @property {"allow" | "ask" | "deny"} effect
 * @property {string} text
 * @property {string} why
 * @property {boolean} remembered
 * @property {boolean} in_force
 * @property {number} times
 * @property {number} ran
 *
 * @typedef {object} ChannelPolicy
 * @property {string} channel
 * @property {string} name
 * @property {string} revision
 * @property {RuleLine[]} rules
 * @property {{group: string, people: string[]}[]} approvers
 */

export {};
