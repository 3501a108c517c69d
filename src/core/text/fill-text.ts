/** Fills the placeholders of texts. The texts of all languages are in `src/i18n`. */
import type english from "../../i18n/en.json";

/** Texts of a language by subject and name. English defines the keys; a test compares the other languages with it. */
export type Texts = typeof english;

/** Texts that only the dashboard shows. It loads each subject when a view needs it. */
export type DashboardSubject = "page" | "editing" | "forms" | "results" | "setup" | "system";

/** A text, or its forms for one and for several. `count` selects the form. */
export type Pattern = string | { readonly one: string; readonly other: string };

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
  const text = typeof pattern === "string" ? pattern : pattern[formOf(language, Number(facts.count))];
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const fact = facts[name];
    return fact === undefined ? placeholder : String(fact ?? "");
  });
}

function formOf(language: string, count: number): "one" | "other" {
  return new Intl.PluralRules(language).select(count) === "one" ? "one" : "other";
}
