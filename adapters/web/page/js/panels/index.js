/** The panels of the drawer, in the order of their tabs. A new one is a module beside these and a line here. */

import { approvals } from "./approvals.js";
import { executions } from "./executions.js";
import { help } from "./help.js";
import { history } from "./history.js";
import { policy } from "./policy.js";
import { sandboxes } from "./sandboxes.js";
import { search } from "./search.js";

/** @type {import("../drawer.js").Panel[]} */
export const PANELS = [approvals, executions, history, policy, sandboxes, search, help];
