/**
 * What is asked for before the parts of the page have come: who looks, with that the house, and the words. The page names
 * this script first, so that answers are on their way while the rest is still being loaded.
 */
import { House, Refusal } from "./house.js";
import { kept, languageFor, wordsIn } from "./language.js";

export const house = new House(kept("home"));
export const language = languageFor(navigator.languages, kept("language"));
export const words = wordsIn(language);
/** Null once it is known who looks; the refusal where that could not be told. */
export const started = house.start().then(
  () => null,
  (refusal) => {
    if (!(refusal instanceof Refusal)) throw refusal;
    return refusal;
  },
);
