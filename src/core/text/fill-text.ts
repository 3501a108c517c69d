/** Fills the placeholders of texts. The texts of all languages are in `src/i18n`. */
import type english from "../../i18n/en.json";

/** Texts of a language by subject and name. English defines the keys; a test compares the other languages with it. */
export type Texts = typeof english;

/** Texts of a language, which may lack some of them: English is shown instead. */
export type PartialTexts = PartOf<Texts>;
type PartOf<Tree> = {
  readonly [Name in keyof Tree]?: Tree[Name] extends string
    ? string
    : Tree[Name] extends Plural
      ? Plural
      : PartOf<Tree[Name]>;
};

/** Texts that only the dashboard shows. It loads each subject when a view needs it. */
export const dashboardSubjects = ["page", "editing", "forms", "results", "setup", "system"] as const;
export type DashboardSubject = (typeof dashboardSubjects)[number];

/** Texts that are only in generated files: name of the language, sentence of the page, form of Home Assistant's app. */
export const generatedSubjects = ["language", "app"] as const;

/** Forms of a text by the plural category of its `count` (Unicode CLDR), for instance `one`. `other` is the default. */
export type Plural = { readonly [category in Exclude<Intl.LDMLPluralRule, "other">]?: string } & {
  readonly other: string;
};
export type Pattern = string | Plural;

/** Values of placeholders. Numbers, times and amounts are formatted by the caller. */
export type Facts = Readonly<Record<string, string | number | null>>;

/** A text before translation. */
export interface Said {
  /** `subject.name` */
  readonly key: string;
  readonly facts: Readonly<Record<string, Said | string | number>>;
}

/** Returns a text whose facts can be texts themselves. A key without a pattern stays. */
export function fillSaid(language: string, patternOf: (key: string) => Pattern | undefined, said: Said): string {
  const facts = Object.entries(said.facts).map(([name, fact]) => [
    name,
    typeof fact === "object" ? fillSaid(language, patternOf, fact) : fact,
  ]);
  return fillText(language, patternOf(said.key) ?? said.key, Object.fromEntries(facts));
}

/** Returns a text with its facts. Null becomes empty; a placeholder without a fact stays, for instance `{name}`. */
export function fillText(language: string, pattern: Pattern, facts: Facts = {}): string {
  const text = typeof pattern === "string" ? pattern : (pattern[formOf(language, facts.count)] ?? pattern.other);
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const fact = facts[name];
    return fact === undefined ? placeholder : String(fact ?? "");
  });
}

function formOf(language: string, count: Facts[string] | undefined): Intl.LDMLPluralRule {
  return new Intl.PluralRules(language).select(Number(count));
}

/** A text as data: a text, or texts by name. */
export type TextTree = string | { readonly [name: string]: TextTree };

/** Returns texts with those of English that they lack, which `mark` may change. */
export function withEnglish(texts: TextTree | undefined, english: TextTree, mark = (text: string) => text): TextTree {
  if (typeof english === "string") return texts ?? mark(english);
  const own = typeof texts === "object" ? texts : {};
  const filled = Object.entries(english).map(([name, below]) => [name, withEnglish(own[name], below, mark)]);
  return { ...own, ...Object.fromEntries(filled) };
}
