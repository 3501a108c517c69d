/**
 * Requests the session, the data and the texts before the components of the page are loaded. The page loads this script
 * first, so that requests are in flight while the rest is being loaded.
 */

import { kept, languageFor, translateIn } from "./language.ts";
import { PageStore } from "./page-store.ts";
import { call, refusalIn } from "./requests.ts";

export const store = new PageStore(kept("home"));
export const language = languageFor(navigator.languages, kept("language"));
// Sent with every request as Accept-Language.
document.documentElement.lang = language;
export const texts = translateIn("page", language);
/** Resolves when the session is known: with null, or with the refusal if it could not be read. */
export const started = logInByLink()
  .then(() => store.start())
  .then(() => null, refusalIn);

/**
 * Logs in with the key in the URL's fragment, if a link has one. The fragment is sent to the daemon only in the login.
 */
async function logInByLink(): Promise<void> {
  // The link of a wall panel has the panel after the key.
  const [, key, panel = ""] = /^#key=([^\s&]+)(?:&(panel))?$/.exec(location.hash) ?? [];
  if (key === undefined) return;
  history.replaceState(null, "", location.pathname + (panel && `#${panel}`));
  // The page requests the session with its files; that answer is of before the log-in.
  await call("GET /local/v1/session", {}).catch(refusalIn);
  await call("POST /local/v1/session", {}, { body: { key } }).catch(refusalIn);
}
