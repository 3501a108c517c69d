/**
 * What is asked for before the parts of the page have come: who looks, with that the house, and the words. The page names
 * this script first, so that answers are on their way while the rest is still being loaded.
 */
import { House, Refusal } from "./house.js";
import { chosenLanguage, languageFor, wordsIn } from "./language.js";

const HOME_KEPT_AS = "elbro-home";

export const house = new House(keptHome());
export const language = languageFor(navigator.languages, chosenLanguage());
export const words = wordsIn(language);
/** Null once it is known who looks; the refusal where that could not be told. */
export const started = house.start().then(
  () => null,
  (refusal) => {
    if (!(refusal instanceof Refusal)) throw refusal;
    return refusal;
  },
);

function keptHome() {
  try {
    return localStorage.getItem(HOME_KEPT_AS);
  } catch {
    return null;
  }
}

/** The home that is shown the next time too. */
export function keepHome(home) {
  try {
    localStorage.setItem(HOME_KEPT_AS, home);
  } catch {
    // The choice holds until the page is left.
  }
}
