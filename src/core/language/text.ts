/** Texts for people, in their language: a key and the facts in its placeholders, which become words when they are shown. */
import { da } from "./da.ts";
import { en } from "./en.ts";
import type { Language } from "./language.ts";
import { nb } from "./nb.ts";
import { sv } from "./sv.ts";
import type { EntityName, Translation } from "./translation.ts";

export type { EntityName };

export type TextKey = keyof typeof en;

/** A text that is not in a language yet. A string is shown as it is: a name, or what another program said. */
export type Text = string | Message;

/** Made by `message`, which checks the facts. */
interface Message {
  readonly key: TextKey;
  readonly facts: Facts;
}

type Facts = Readonly<Record<string, Text | number>>;
type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;
/** Nothing for a text without placeholders. */
type FactsOf<Key extends TextKey> = [Placeholders<(typeof en)[Key]>] extends [never]
  ? []
  : [facts: Readonly<Record<Placeholders<(typeof en)[Key]>, Text | number>>];

export const translations: Readonly<Record<Exclude<Language, "en">, Translation>> = { da, sv, nb };

/** A text, to be shown later in the language of who reads it. */
export function message<Key extends TextKey>(key: Key, ...[facts]: FactsOf<Key>): Message {
  return { key, facts: facts ?? {} };
}

/** The text of a key, where there is one. */
export function messageOr(key: string, otherwise: string): Text {
  return Object.hasOwn(en, key) ? { key: key as TextKey, facts: {} } : otherwise;
}

/** A text in words. */
export function textIn(language: Language, text: Text): string {
  if (typeof text === "string") return text;
  const pattern = language === "en" ? en[text.key] : translations[language].texts[text.key];
  return filled(language, pattern, text.facts);
}

/** Puts facts into a pattern; a placeholder without a fact stays. */
export function filled(language: Language, pattern: string, facts: Facts): string {
  return pattern.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const fact = facts[name];
    return fact === undefined ? placeholder : typeof fact === "number" ? String(fact) : textIn(language, fact);
  });
}

/** Says texts in a language, at once. */
export type Say = <Key extends TextKey>(key: Key, ...facts: FactsOf<Key>) => string;

export function sayIn(language: Language): Say {
  return (key, ...facts) => textIn(language, message(key, ...facts));
}

/** The name of an entity in a language. */
export function nameIn(language: Language, name: EntityName, facts: Facts = {}): string {
  return filled(language, language === "en" ? name : translations[language].names[name], facts);
}
