/** Translates the errors of the daemon, whose texts are English. */
import { fillSaid, type Pattern, type Said } from "../../core/text/fill-text.ts";

/** An invalid value of a request. */
export interface Mistake {
  /** Path of the value, for instance `fallback[0]`; empty for the whole entry. */
  readonly path: string;
  readonly text: string;
  /** Absent or false for an English text. */
  readonly isTranslated?: boolean;
}

/** Body of an error. */
export interface ErrorAnswer extends Partial<Said> {
  readonly errorCode?: string;
  readonly reason?: string;
  readonly refusal?: string;
  readonly mistakes?: readonly (Mistake & Said)[];
}

/** Subjects of the errors' texts. */
const SUBJECTS = ["mistake", "refused"] as const;
type Patterns = Readonly<Record<string, Readonly<Record<string, Pattern>>>>;

/** Returns the error with its texts in a language. A text that cannot be loaded stays English. */
export async function errorIn(
  language: string,
  body: ErrorAnswer,
  load = patternsIn,
): Promise<ErrorAnswer & { isTranslated: boolean }> {
  const { key, facts = {}, reason, mistakes } = body;
  const isSaid = key !== undefined || mistakes !== undefined;
  const patterns = language === "en" || !isSaid ? null : await load(language).catch(() => null);
  if (!patterns) return { ...body, isTranslated: language === "en" };
  const textOf = (said: Said) =>
    fillSaid(language, (name) => patterns[name.split(".")[0] ?? ""]?.[name.split(".")[1] ?? ""], said);
  const found = mistakes?.map((each) => ({ ...each, text: sentence(textOf(each)), isTranslated: true }));
  const said = key === undefined ? found?.map(({ text }) => text).join(" ") : textOf({ key, facts });
  return { ...body, reason: said ?? reason ?? "", isTranslated: true, ...(found && { mistakes: found }) };
}

async function patternsIn(language: string): Promise<Patterns> {
  const here = import.meta.url;
  const load = async (subject: string) => {
    const response = await fetch(new URL(`texts-${language}-${subject}.json`, here));
    return [subject, await response.json()] as const;
  };
  return Object.fromEntries(await Promise.all(SUBJECTS.map(load)));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?…]$/.test(text) ? "" : "."}`;
}
