/**
 * What is requested before the components of the page are loaded: the session, with it the house, and the texts. The page
 * names this script first, so that answers are in flight while the rest is still being loaded.
 */
import { House } from "./house.ts";
import { kept, languageFor, wordsIn } from "./language.ts";
import { get, post, refusalIn } from "./requests.ts";

export const house = new House(kept("home"));
export const language = languageFor(navigator.languages, kept("language"));
// Answers are in this language too.
document.documentElement.lang = language;
export const texts = wordsIn(language);
/** Null once the session is known; the refusal if it could not be read. */
export const started = enterByLink()
  .then(() => house.start())
  .then(() => null, refusalIn);

/** A link that was made for this device has its key behind the `#`, which is sent to nobody but in the log-in. */
async function enterByLink(): Promise<void> {
  const [, key] = /^#key=(\S+)$/.exec(location.hash) ?? [];
  if (key === undefined) return;
  history.replaceState(null, "", location.pathname);
  // The page requests the session with its files; that answer is of before the log-in.
  await get("local/v1/session").catch(refusalIn);
  await post("local/v1/session", { key }).catch(refusalIn);
}
