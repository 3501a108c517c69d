/**
 * What Home Assistant's supervisor makes of an app's options, as a table of rules. The supervisor is not on PyPI; the
 * rules are those of supervisor/apps/options.py (class `AppOptions`) and supervisor/apps/validate.py (`SCHEMA_ELEMENT`)
 * at commit 1ee90b7 (2026). Unverified: secrets (`!secret`), the kinds `email`, `url`, `port` and `device`, which
 * elbro does not use, what Python's voluptuous coerces beyond numbers and booleans written as such, and the form of the
 * frontend: whether it leaves out a field that is emptied.
 */

type Json = Readonly<Record<string, unknown>>;

export interface TakenOptions {
  /** What the app finds in /data/options.json. */
  readonly options: Json;
  /** Paths of what is not there, since the schema does not name it: the supervisor only writes a line to its log. */
  readonly dropped: readonly string[];
}

/** An element that the supervisor takes in a schema. */
export const ELEMENT =
  /^(bool|email|url|port|device(\(subsystem=[a-z]+\))?|str(\(\d*,\d*\))?|password(\(\d*,\d*\))?|int(\((-?\d+)?,(-?\d+)?\))?|float(\((-?\d*\.?\d+)?,(-?\d*\.?\d+)?\))?|match\(.*\)|list\(.+\))\??$/;

/** By kind: what becomes of a value that is there. Errors: throws for one that does not fit. */
const KINDS: Readonly<Record<string, (value: unknown, argument: string) => unknown>> = {
  str: (value) => value,
  password: (value) => value,
  bool: (value) => {
    if (typeof value !== "boolean") throw new Error(`${String(value)} is no boolean`);
    return value;
  },
  int: (value, range) => inRange(Math.trunc(Number(value)), range),
  float: (value, range) => inRange(Number(value), range),
  match: (value, pattern) => {
    // Python's re.match looks at the beginning; the text is what is kept.
    if (!new RegExp(`^(?:${pattern})`).test(String(value))) throw new Error(`${String(value)} is not ${pattern}`);
    return String(value);
  },
  list: (value, values) => {
    if (!values.split("|").includes(String(value))) throw new Error(`${String(value)} is none of ${values}`);
    return String(value);
  },
};

/** Errors: throws what the supervisor refuses, in words. */
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

/** A list is optional if its element is; a section never is. */
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

function inRange(value: number, range: string): number {
  const [least = "", most = ""] = range.split(",");
  if (Number.isNaN(value) || (least !== "" && value < Number(least)) || (most !== "" && value > Number(most)))
    throw new Error(`${value} is not a number in ${range}`);
  return value;
}
