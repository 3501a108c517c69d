/** The language of the page: the browser's where the page speaks it, or the one that was chosen on it. */

export const LANGUAGES = { da: "Dansk", sv: "Svenska", nb: "Norsk", en: "English" };
/** How browsers call Norwegian. */
const ALIASES = { no: "nb", nn: "nb" };

/** The first language of the reader's that the page speaks; English where it speaks none. */
export function languageFor(wanted, chosen) {
  const asked = [chosen, ...wanted].filter((tag) => typeof tag === "string");
  for (const tag of asked) {
    const [name] = tag.toLowerCase().split("-");
    const language = ALIASES[name] ?? name;
    if (Object.hasOwn(LANGUAGES, language)) return language;
  }
  return "en";
}

/** What was chosen on this page before, by what it is; null where nothing was, or the browser keeps nothing. */
export function kept(what) {
  try {
    return localStorage.getItem(`elbro-${what}`);
  } catch {
    return null;
  }
}

/** Keeps what is chosen for the next time. */
export function keep(what, value) {
  try {
    localStorage.setItem(`elbro-${what}`, value);
  } catch {
    // A browser that keeps nothing: the choice holds until the page is left.
  }
}

/**
 * The page's words in a language: with facts in their places. A word that is there in several forms is chosen by `count`.
 */
export async function wordsIn(language) {
  const { words } = await import(`./words-${language}.js`);
  const plurals = new Intl.PluralRules(language);
  const t = (key, facts = {}) => {
    const word = words[key];
    const text = typeof word === "object" ? (word[plurals.select(facts.count)] ?? word.other) : word;
    if (text === undefined) return key;
    return text.replace(/\{(\w+)\}/g, (_, name) => String(facts[name] ?? ""));
  };
  t.has = (key) => Object.hasOwn(words, key);
  t.language = language;
  return t;
}
