/** Begins: who is this, and then the page for them. In the demo each tab acts as somebody of its own. */

import { Api, Unreachable } from "./api.js";
import { App } from "./app.js";
import { el } from "./dom.js";
import { loginForm } from "./login.js";
import { Session } from "./session.js";
import { apply } from "./theme.js";

const USER = "fencepost.user";
const FIRST_USER = "ana";
const RETRY_MS = 1500;
const FACE = new URL("../icon.svg", import.meta.url).href;

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
const isDemo = document.querySelector('meta[name="fencepost-mode"]')?.getAttribute("content") === "demo";

/** @type {App | null} */
let app = null;

async function begin() {
  app?.end();
  app = null;
  try {
    const session = await (isDemo ? demoSession() : teamSession());
    await session.open();
    session.onOtherLife = () => void begin();
    app = new App(root, session, { actAs, logOut: () => void logOut(session.api) }, FACE);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    root.replaceChildren(el("main", { class: "login" }, el("p", { role: "status" }, error.message, " Trying again …")));
    setTimeout(() => void begin(), RETRY_MS);
  }
}

async function demoSession() {
  const cookie = /(?:^|; )fencepost_user=([^;]*)/.exec(document.cookie)?.[1];
  for (const user of [sessionStorage.getItem(USER), cookie, FIRST_USER]) {
    const session = user ? await Session.begin(new Api(user)) : null;
    if (!session) continue;
    keepUser(session.me.id);
    return session;
  }
  throw new Unreachable("nobody is known here");
}

async function teamSession() {
  for (;;) {
    const api = new Api(null);
    const session = await Session.begin(api);
    if (session) return session;
    const { element, done } = loginForm(api, FACE);
    root.replaceChildren(element);
    /** @type {HTMLElement | null} */ (element.querySelector("[autofocus]"))?.focus();
    await done;
  }
}

/** @param {string} user */
function actAs(user) {
  keepUser(user);
  void begin();
}

/** For this tab, and as a cookie for links to files and for the next tab. @param {string} user */
function keepUser(user) {
  sessionStorage.setItem(USER, user);
  document.cookie = `fencepost_user=${user}; path=/; samesite=strict`;
}

/** @param {Api} api */
async function logOut(api) {
  if (!isDemo) await api.post("/api/logout").catch(() => {});
  await begin();
}

apply();
void begin();
