/** The languages of this folder. Made by `npm run docs`. */
export const languages = ["da", "en", "nb", "sv"] as const;

/** Name of each language in itself. */
export const languageNames = {
  da: "Dansk",
  en: "English",
  nb: "Norsk",
  sv: "Svenska",
} as const;

/** Locale of each language if the browser names no country. */
export const locales = {
  da: "da-DK",
  en: "en-GB",
  nb: "nb-NO",
  sv: "sv-SE",
} as const;
