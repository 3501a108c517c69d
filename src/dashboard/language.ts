/** The language of the page: the browser's if the page has it, or the one that was chosen on the page. */
import type { WordTable } from "./words-en.ts";

export type WordKey = keyof WordTable;
type Facts = Readonly<Record<string, string | number | null>>;

/** Returns a text, with facts in its placeholders. A text with several forms is chosen by `count`. */
export interface TranslateOf<Key extends string> {
  (key: Key, facts?: Facts): string;
  readonly has: (key: string) => key is Key;
  readonly language: Language;
}

/** A text of the page. */
export type Translate = TranslateOf<WordKey>;
type Texts = Readonly<Record<string, string | { readonly one: string; readonly other: string }>>;

export const LANGUAGES = { da: "Dansk", sv: "Svenska", nb: "Norsk", en: "English" } as const;
export type Language = keyof typeof LANGUAGES;

const LOADERS: Readonly<Record<Language, () => Promise<{ readonly words: WordTable }>>> = {
  da: () => import("./words-da.ts"),
  sv: () => import("./words-sv.ts"),
  nb: () => import("./words-nb.ts"),
  en: () => import("./words-en.ts"),
};
/** Names that browsers use for Norwegian. */
const ALIASES: Readonly<Record<string, Language>> = { no: "nb", nn: "nb" };

/** Returns the chosen language, or else the first of the browser's languages that the page has; English by default. */
export function languageFor(wanted: readonly string[], chosen: string | null): Language {
  for (const tag of [...(chosen === null ? [] : [chosen]), ...wanted]) {
    const name = tag.toLowerCase().split("-")[0] ?? "";
    const language = ALIASES[name] ?? name;
    if (isLanguage(language)) return language;
  }
  return "en";
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(LANGUAGES, name);
}

/** Returns a stored choice of an earlier visit; null without a choice or without browser storage. */
export function kept(what: string): string | null {
  try {
    return localStorage.getItem(`elbro-${what}`);
  } catch {
    return null;
  }
}

/** Stores a choice for the next visit. */
export function keep(what: string, value: string): void {
  try {
    localStorage.setItem(`elbro-${what}`, value);
  } catch {
    // Without storage, the choice is valid until the page is closed.
  }
}

/** Loads the texts of a language. */
export async function wordsIn(language: Language): Promise<Translate> {
  return translator((await LOADERS[language]()).words, language);
}

/** Returns the function that looks up texts in a table. */
export function translator<Table extends Texts>(words: Table, language: Language): TranslateOf<keyof Table & string> {
  const plurals = new Intl.PluralRules(language);
  const translate = (key: keyof Table, facts: Facts = {}) => {
    const word = words[key] ?? "";
    const text =
      typeof word === "string" ? word : plurals.select(Number(facts.count)) === "one" ? word.one : word.other;
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? ""));
  };
  const has = (key: string): key is keyof Table & string => Object.hasOwn(words, key);
  return Object.assign(translate, { has, language });
}
