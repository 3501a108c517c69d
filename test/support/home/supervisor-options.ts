/**
 * Emulates how Home Assistant's supervisor validates an app's options. The supervisor is not on PyPI. The rules are
 * those of supervisor/apps/options.py (class `AppOptions`) and supervisor/apps/validate.py (`SCHEMA_ELEMENT`) at commit
 * 1ee90b7 (2026).
 * Not verified: secrets (`!secret`); the types `email`, `url`, `port` and `device`, which elbro does not use;
 * conversions of Python's voluptuous other than plain numbers and booleans; and whether the frontend omits a field that
 * was emptied.
 */

type Json = Readonly<Record<string, unknown>>;

export interface TakenOptions {
  /** Content of /data/options.json in the app. */
  readonly options: Json;
  /** Paths of options that the schema does not contain. The supervisor drops them with a log line. */
  readonly dropped: readonly string[];
}

/** Element that the supervisor accepts in a schema. */
export const ELEMENT =
  /^(bool|email|url|port|device(\(subsystem=[a-z]+\))?|str(\(\d*,\d*\))?|password(\(\d*,\d*\))?|int(\((-?\d+)?,(-?\d+)?\))?|float(\((-?\d*\.?\d+)?,(-?\d*\.?\d+)?\))?|match\(.*\)|list\(.+\))\??$/;

/** Converts a value, by type. Each function throws if the value does not fit. */
const KINDS: Readonly<Record<string, (value: unknown, argument: string) => unknown>> = {
  str: asText,
  password: asText,
  bool: (value) => {
    if (typeof value !== "boolean") throw new Error(`${String(value)} is no boolean`);
    return value;
  },
  int: (value, range) => inRange(Math.trunc(Number(value)), range),
  float: (value, range) => inRange(Number(value), range),
  match: (value, pattern) => {
    // Python's re.match tests only the beginning. The whole text is kept.
    if (!new RegExp(`^(?:${pattern})`).test(String(value))) throw new Error(`${String(value)} is not ${pattern}`);
    return String(value);
  },
  list: (value, values) => {
    if (!values.split("|").includes(String(value))) throw new Error(`${String(value)} is not one of ${values}`);
    return String(value);
  },
};

/** Validates options and drops unknown ones. Throws with the supervisor's message for invalid or missing options. */
export function takenOptions(schema: Json, options: Json): TakenOptions {
  const dropped: string[] = [];
  const section = (elements: Json, values: Json, path: string): Json => {
    const kept: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(values)) {
      if (key in elements) kept[key] = taken(elements[key], value, `${path}${key}`);
      else dropped.push(`${path}${key}`);
    }
    for (const [key, element] of Object.entries(elements))
      if (!(key in kept) && !isOptional(element)) throw new Error(`Missing option '${key}' in ${path || "root"}`);
    return kept;
  };
  const taken = (element: unknown, value: unknown, path: string): unknown => {
    if (Array.isArray(element)) {
      if (!Array.isArray(value)) throw new Error(`Invalid list for option '${path}'`);
      return value.map((each, i) => taken(element[0], each, `${path}[${i}]`));
    }
    if (typeof element === "object" && element !== null) {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw new Error(`Invalid dict for option '${path}'`);
      return section(element as Json, value as Json, `${path}.`);
    }
    return single(String(element), value, path);
  };
  return { options: section(schema, options, ""), dropped };
}

/** A list is optional if its element is. A section is always required. */
function isOptional(element: unknown): boolean {
  const decides: unknown = Array.isArray(element) ? element[0] : element;
  return typeof decides === "string" && decides.endsWith("?");
}

function single(element: string, value: unknown, path: string): unknown {
  if (value === null || value === undefined) throw new Error(`Missing required option '${path}'`);
  const [, kind = "", argument = ""] = /^([a-z]+)(?:\((.*)\))?\??$/.exec(element) ?? [];
  const convert = KINDS[kind];
  if (!ELEMENT.test(element) || !convert) throw new Error(`Unknown type '${element}'`);
  return convert(value, argument);
}

/** `vol.All(str(value), …)(value)` accepts only a value that equals its own text. */
function asText(value: unknown): string {
  if (typeof value !== "string") throw new Error(`not a valid value: ${String(value)}`);
  return value;
}

function inRange(value: number, range: string): number {
  const [least = "", most = ""] = range.split(",");
  if (Number.isNaN(value) || (least !== "" && value < Number(least)) || (most !== "" && value > Number(most)))
    throw new Error(`${value} is not a number in ${range}`);
  return value;
}
