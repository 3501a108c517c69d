/** Proposals for values that are nearly right. */
import { nearest } from "./suggest-key.ts";

/** What is known about a mistake in a value. */
export interface NearlyRight {
  readonly found: unknown;
  /** Last key of its path. */
  readonly name?: string;
  /** Such as `expected a number`. */
  readonly expectation: string;
  /** Accepted words; absent if any other value is possible. */
  readonly words?: readonly string[];
  /** Whether a list of plain values is expected. */
  readonly isPlainList?: boolean;
}

const DAYS: Readonly<Record<string, string>> = {
  weekend: "[sat, sun]",
  weekends: "[sat, sun]",
  weekdays: "[mon, tue, wed, thu, fri]",
  workdays: "[mon, tue, wed, thu, fri]",
};
const OTHER_FAMILY = "; a plug of another make can be switched by an automation of Home Assistant (docs/plugs.md)";

/** Returns a proposal that follows the message of a mistake; an empty text without one. */
export function hintFor({ found, name, expectation, words = [], isPlainList = false }: NearlyRight): string {
  if (/^expected a time of day/.test(expectation)) return written(timeLike(found));
  if (typeof found === "string") {
    if (/^expected (a|a whole) number|^expected hours/.test(expectation)) return written(numberLike(found), true);
    if (expectation === "expected keys and values" && /^[a-z_]+:\S/.test(found))
      return "; a key needs a space after its colon, as in `api_key: …`";
    if (isPlainList) return written(DAYS[found.toLowerCase()] ?? listLike(found), true);
    const longer = found === "" ? [] : words.filter((word) => word.startsWith(`${found.toLowerCase()}_`));
    const meant = longer.join(", ") || (words.length > 0 ? nearest(found, words) : null);
    if (meant !== null) return `; did you mean ${meant}?`;
    if (name === "family") return OTHER_FAMILY;
  }
  return "";
}

function written(text: string | null, isPlain = false): string {
  if (text === null) return "";
  return `; write ${isPlain ? text : `"${text}"`}`;
}

/** Reads `7`, `22.30`, `7:00` and `24:00` as `HH:MM`. YAML reads the unquoted 22.30 as the number 22.3. */
function timeLike(found: unknown): string | null {
  const text = typeof found === "number" || typeof found === "string" ? String(found).trim() : "";
  const [, hours = "", minutes = "0"] = /^(\d{1,2})(?:[.:h](\d{1,2}))?$/.exec(text) ?? [];
  if (hours === "" || Number(hours) > 24 || Number(minutes) > 59) return null;
  const minute = typeof found === "number" ? minutes.padEnd(2, "0") : minutes.padStart(2, "0");
  const hour = String(Number(hours) % 24).padStart(2, "0");
  return Number(hours) === 24 && Number(minute) > 0 ? null : `${hour}:${minute}`;
}

/** Reads a decimal comma. */
function numberLike(found: string): string | null {
  return /^-?\d+,\d+$/.test(found.trim()) ? `${found.trim().replace(",", ".")}, with a point` : null;
}

/** Writes words that are separated by commas or spaces as a list. */
function listLike(found: string): string | null {
  const items = found.split(/[\s,;]+/).filter(Boolean);
  const isSimple = items.length > 0 && items.every((item) => /^[\w.][\w.:*/-]{0,60}$/.test(item));
  return isSimple && !/\/\/[^/]*@/.test(found) ? `[${items.join(", ")}]` : null;
}
