/** Translatable texts: a key with the values of its placeholders, translated when they are shown. */
import { textFiles } from "../../i18n/texts.ts";
import {
  type DashboardSubject,
  fillSaid,
  type generatedSubjects,
  type PartialTexts,
  type Pattern,
  type Texts,
} from "../text/fill-text.ts";
import type { Language } from "./language.ts";

/** The build leaves the other texts out. */
type DaemonTexts = Omit<Texts, DashboardSubject | (typeof generatedSubjects)[number]>;

/** `subject.name`, for instance `plan.disabled`. */
export type TextKey = {
  [Subject in keyof DaemonTexts]: `${Subject}.${keyof DaemonTexts[Subject] & string}`;
}[keyof DaemonTexts];

/** Name of an entity in Home Assistant. */
export type EntityName = keyof DaemonTexts["entity"];

/** Text before translation. A string is shown unchanged: a name, or a message of another program. */
export type Text = string | Message;

/** Created by `message`. */
export type Message = { readonly key: TextKey; readonly facts: Facts };

/** Value of a placeholder. */
export type Fact = Text | number;
type Facts = Readonly<Record<string, Fact>>;

const texts: Readonly<Record<Language, PartialTexts>> = textFiles;

/** Creates a text that is translated when it is shown. */
export function message(key: TextKey, facts: Facts = {}): Message {
  return { key, facts };
}

/** Returns a text with the place that it is about: a setting, or a path in the configuration. */
export function placed(where: string, { key, facts }: Message): Message {
  return message("mistake.placed", { where, said: { key, facts } });
}

/** Returns the text of a key, or `otherwise` if the key does not exist. */
export function messageOr(key: string, otherwise: string): Text {
  return patternOf("en", key) === undefined ? otherwise : message(key as TextKey);
}

/** Translates a text. */
export function textIn(language: Language, text: Text): string {
  if (typeof text === "string") return text;
  return fillSaid(language, (key) => patternOf(language, key) ?? patternOf("en", key), text);
}

function patternOf(language: Language, key: string): Pattern | undefined {
  const [subject = "", name = ""] = key.split(".");
  const bySubject: Readonly<Record<string, Readonly<Record<string, Pattern>>>> = texts[language] as DaemonTexts;
  return bySubject[subject]?.[name];
}

/** Function that returns a translated text immediately. */
export type Say = (key: TextKey, facts?: Facts) => string;

export function sayIn(language: Language): Say {
  return (key, facts) => textIn(language, message(key, facts));
}

/** Returns the name of an entity in a language. */
export function nameIn(language: Language, name: EntityName, facts?: Facts): string {
  return textIn(language, message(`entity.${name}`, facts));
}

/** Error with a reason that is shown to people. Its message is the English text, as in the log. */
export class TextError extends Error {
  readonly text: Text;

  constructor(text: Text, options?: ErrorOptions) {
    super(textIn("en", text), options);
    this.text = text;
  }
}

/** Returns the reason of an error; `otherwise` if it has none. */
export function reasonOf(error: unknown, otherwise: Text): Text {
  if (error instanceof TextError) return error.text;
  return (error instanceof Error && error.message) || otherwise;
}
