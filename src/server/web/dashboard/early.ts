/**
 * What is requested before the components of the page are loaded: the session, with it the house, and the texts. The page
 * names this script first, so that answers are in flight while the rest is still being loaded.
 */
import { House } from "./house.ts";
import { kept, languageFor, wordsIn } from "./language.ts";
import { refusalIn } from "./requests.ts";

export const house = new House(kept("home"));
export const language = languageFor(navigator.languages, kept("language"));
// Answers are in this language too.
document.documentElement.lang = language;
export const texts = wordsIn(language);
/** Null once the session is known; the refusal if it could not be read. */
export const started = house.start().then(() => null, refusalIn);
