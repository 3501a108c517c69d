/** Translatable texts: a key with the values of its placeholders, translated when they are shown. */
import { da } from "./da.ts";
import { en } from "./en.ts";
import type { Language } from "./language.ts";
import { nb } from "./nb.ts";
import { sv } from "./sv.ts";
import type { EntityName, Translation } from "./translation.ts";

export type { EntityName };

export type TextKey = keyof typeof en;

/**
 * Text before translation. A string that is an English sentence of the table is translated; any other one is shown unchanged:
 * a name, or a message of another program.
 */
export type Text = string | Message;

/** Created by `message`, which checks the placeholders at compile time. */
interface Message {
  readonly key: TextKey;
  readonly facts: Facts;
}

type Facts = Readonly<Record<string, Text | number>>;
type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;
/** Empty for a text without placeholders. */
type FactsOf<Key extends TextKey> = [Placeholders<(typeof en)[Key]>] extends [never]
  ? []
  : [facts: Readonly<Record<Placeholders<(typeof en)[Key]>, Text | number>>];

export const translations: Readonly<Record<Exclude<Language, "en">, Translation>> = { da, sv, nb };

/** Creates a text that is translated when it is shown. */
export function message<Key extends TextKey>(key: Key, ...[facts]: FactsOf<Key>): Message {
  return { key, facts: facts ?? {} };
}

/** Returns the text of a key, or `otherwise` if the key does not exist. */
export function messageOr(key: string, otherwise: string): Text {
  return Object.hasOwn(en, key) ? { key: key as TextKey, facts: {} } : otherwise;
}

/** Translates a text. */
export function textIn(language: Language, text: Text): string {
  if (language === "en") return typeof text === "string" ? text : filled(language, en[text.key], text.facts);
  const { texts } = translations[language];
  if (typeof text !== "string") return filled(language, texts[text.key], text.facts);
  const key = keyOfSentence(text);
  return key === undefined ? text : texts[key];
}

/** Several words without placeholders; one word may be a name. */
const SENTENCE = /^[^{]+ [^{]+$/;
let keysBySentence: ReadonlyMap<string, TextKey> | null = null;

function keyOfSentence(text: string): TextKey | undefined {
  keysBySentence ??= new Map(
    (Object.keys(en) as TextKey[]).filter((key) => SENTENCE.test(en[key])).map((key) => [en[key], key]),
  );
  return keysBySentence.get(text);
}

/** Replaces the placeholders in a pattern; a placeholder without a value stays unchanged. */
export function filled(language: Language, pattern: string, facts: Facts): string {
  return pattern.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const fact = facts[name];
    return fact === undefined ? placeholder : typeof fact === "number" ? String(fact) : textIn(language, fact);
  });
}

/** Function that returns a translated text immediately. */
export type Say = <Key extends TextKey>(key: Key, ...facts: FactsOf<Key>) => string;

export function sayIn(language: Language): Say {
  return (key, ...facts) => textIn(language, message(key, ...facts));
}

/** Returns the name of an entity in a language. */
export function nameIn(language: Language, name: EntityName, facts: Facts = {}): string {
  return filled(language, language === "en" ? name : translations[language].names[name], facts);
}
