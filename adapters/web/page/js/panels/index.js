/** The panels of the drawer, in the order of their tabs. A new one is a module beside these and a line here. */

import { help } from "./help.js";
import { search } from "./search.js";

/** @type {import("../drawer.js").Panel[]} */
export const PANELS = [search, help];
