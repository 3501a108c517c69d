/** Proposals for values that are nearly right. */
import { type Message, message, type TextKey } from "../../core/language/text.ts";
import { didYouMean, nearest } from "./suggest-key.ts";

/** What is known about a mistake in a value. */
export interface NearlyRight {
  readonly found: unknown;
  /** Last key of its path. */
  readonly name?: string;
  /** Key of the expected value, such as `kind_number`. */
  readonly expected: TextKey;
  /** Accepted words; absent if any other value is possible. */
  readonly words?: readonly string[];
  /** Whether a list of plain values is expected. */
  readonly isPlainList?: boolean;
}

const DAYS: ReadonlyMap<string, string> = new Map([
  ["weekend", "[sat, sun]"],
  ["weekends", "[sat, sun]"],
  ["weekdays", "[mon, tue, wed, thu, fri]"],
  ["workdays", "[mon, tue, wed, thu, fri]"],
]);
const NUMBERS: ReadonlySet<TextKey> = new Set([
  "mistake.kind_number",
  "mistake.kind_whole",
  "mistake.expected_hours",
  "mistake.expected_hours_above_zero",
  "mistake.expected_kwh_learned",
  "mistake.expected_tolerance",
  "mistake.expected_cheap_below",
] as const);

/** Returns a proposal that follows the message of a mistake; an empty text without one. */
export function hintFor({ found, name, expected, words = [], isPlainList = false }: NearlyRight): Message | string {
  if (expected === "mistake.expected_time") return written("mistake.hint_write", timeLike(found));
  if (typeof found === "string") {
    if (NUMBERS.has(expected)) return written("mistake.hint_point", numberLike(found));
    if (expected === "mistake.kind_keys" && /^[a-z_]+:\S/.test(found)) return message("mistake.hint_colon");
    if (isPlainList) return written("mistake.hint_write_plain", DAYS.get(found.toLowerCase()) ?? listLike(found));
    const longer = found === "" ? [] : words.filter((word) => word.startsWith(`${found.toLowerCase()}_`));
    const meant = longer.join(", ") || (words.length > 0 ? nearest(found, words) : null);
    if (meant !== null) return didYouMean(meant);
    if (name === "family") return message("mistake.hint_family");
  }
  return "";
}

function written(
  key: "mistake.hint_write" | "mistake.hint_write_plain" | "mistake.hint_point",
  text: string | null,
): Message | string {
  return text === null ? "" : message(key, { text });
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
  return /^-?\d+,\d+$/.test(found.trim()) ? found.trim().replace(",", ".") : null;
}

/** Writes words that are separated by commas or spaces as a list. */
function listLike(found: string): string | null {
  const items = found.split(/[\s,;]+/).filter(Boolean);
  const isSimple = items.length > 0 && items.every((item) => /^[\w.][\w.:*/-]{0,60}$/.test(item));
  return isSimple && !/\/\/[^/]*@/.test(found) ? `[${items.join(", ")}]` : null;
}
