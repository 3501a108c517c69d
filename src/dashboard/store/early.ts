/**
 * Requests the session, the data and the texts before the components of the page are loaded. The page loads this script
 * first, so that requests are in flight while the rest is being loaded.
 */

import { languageFor, translateIn } from "../words/language.ts";
import { kept } from "./browser-storage.ts";
import { PageStore } from "./page-store.ts";
import { call, refusalIn } from "./requests.ts";

/** Status of a log-in in place of the session of another key. */
const CONFLICT = 409;

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
  const before = await call("GET /local/v1/session", {}).catch(refusalIn);
  const refusal = await logIn({ key });
  if (refusal?.status !== CONFLICT || !("signed_in" in before)) return;
  // A link of another page must not replace the session unseen.
  const name = before.key ?? "";
  if (confirm((await texts)("link_replaces", { name }))) await logIn({ key, instead_of: name });
}

function logIn(body: { readonly key: string; readonly instead_of?: string }) {
  return call("POST /local/v1/session", {}, { body }).then(() => null, refusalIn);
}
