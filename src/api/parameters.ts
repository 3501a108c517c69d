/** Parameters of `/local/v1`: kinds of values, and the parser for those of a request. */

import { settingNames } from "../config/setting-names.ts";
import { readDuration, readLocalTime } from "../core/planning/model/plan-definition.ts";
import { MAX_PRICE_LIMITS } from "../core/planning/plan-settings.ts";
import { KEY_NAME } from "../core/text/key-name.ts";
import { type EpochMs, HOUR_MS } from "../core/time/interval.ts";
import { type LocalError, localError } from "../http/errors.ts";
import type { LocalRequest } from "../http/route.ts";
import { parseInstant } from "../service/contract/range.ts";
import { decimalSigns } from "./csv.ts";

export interface ParameterKind<Value> {
  /** Returns the value of a text; null if the text is not valid. */
  readonly read: (text: string) => Value | null;
  readonly expected: string;
  /** JSON Schema of its text. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface Parameter {
  /** Place of the parameter; the query by default. */
  readonly in?: "path";
  readonly kind: ParameterKind<unknown>;
  /** A parameter of a path is always required. */
  readonly required?: true;
  readonly about: string;
  readonly example: string;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** Values of the parameters; null for an optional one that the request omits. */
export type ValuesOf<Rows extends Parameters> = {
  readonly [Name in keyof Rows]: Rows[Name] extends { readonly kind: ParameterKind<infer Value> }
    ? Rows[Name] extends { readonly required: true } | { readonly in: "path" }
      ? Value
      : Value | null
    : never;
};

const SLUG = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const MAX_HOURS_MS = 24 * HOUR_MS;

const slug: ParameterKind<string> = {
  read: (text) => (SLUG.test(text) ? text : null),
  expected: "an id of lower-case letters, digits, _ and -",
  schema: { type: "string", pattern: SLUG.source },
};

export const instant: ParameterKind<EpochMs> = {
  read: (text) => {
    const reading = parseInstant(text);
    return reading.kind === "value" ? reading.value : null;
  },
  expected: "an instant such as 2026-03-10T09:00:00Z (write the + of an offset as %2B)",
  schema: { type: "string", format: "date-time" },
};

/** Duration above 0 and up to 24 h. Unit: ms. */
export const hours: ParameterKind<number> = {
  read: (text) => {
    const ms = readDuration(text);
    return ms !== null && ms > 0 && ms <= MAX_HOURS_MS ? ms : null;
  },
  expected: "hours above 0 and up to 24, such as 3, 1.5, 45m or 1h30m",
  schema: { type: "string", pattern: "^(\\d+(\\.\\d+)?h?|(\\d+(\\.\\d+)?h)?\\d+m)$" },
};

/** Local time of day. Unit: minutes since midnight. */
export const timeOfDay: ParameterKind<number> = {
  read: readLocalTime,
  expected: "a time of day from 00:00 to 23:59",
  schema: { type: "string", pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" },
};

export const price: ParameterKind<number> = {
  read: (text) => {
    const value = /^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
    return value >= MAX_PRICE_LIMITS.min && value <= MAX_PRICE_LIMITS.max ? value : null;
  },
  expected: `a price per kWh from ${MAX_PRICE_LIMITS.min} to ${MAX_PRICE_LIMITS.max}, such as 1.25`,
  schema: { type: "number", minimum: MAX_PRICE_LIMITS.min, maximum: MAX_PRICE_LIMITS.max },
};

export const flag: ParameterKind<boolean> = {
  read: (text) => ({ "1": true, true: true, "0": false, false: false })[text] ?? null,
  expected: "1 or 0",
  schema: { type: "string", enum: ["1", "0", "true", "false"] },
};

export const count: ParameterKind<number> = {
  read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null),
  expected: "a whole number of at least 0",
  schema: { type: "integer", minimum: 0 },
};

export function oneOf<const Name extends string>(names: readonly Name[]): ParameterKind<Name> {
  return {
    read: (text) => names.find((name) => name === text) ?? null,
    expected: `one of ${names.join(", ")}`,
    schema: { type: "string", enum: names },
  };
}

/** Parameters shared by several endpoints. */
export const home = {
  kind: slug,
  about: "The id of a home or of a third-party place; optional if there is only one.",
  example: "home",
} as const;
export const direction = {
  kind: oneOf(["import", "export"]),
  about: "`export` returns the prices of sold energy; `import`, those of bought energy, is the default.",
  example: "export",
} as const;
export const plan = { in: "path", kind: slug, about: "The id of a plan.", example: "washer" } as const;
const keyName: ParameterKind<string> = {
  read: (text) => (KEY_NAME.test(text) ? text : null),
  expected: "the name of a key",
  schema: { type: "string", pattern: KEY_NAME.source },
};
export const key = { in: "path", kind: keyName, about: "The name of a key.", example: "phone" } as const;
export const setting = {
  in: "path",
  kind: oneOf(settingNames),
  about: "The name of a setting.",
  example: "notify",
} as const;
export const plug = { in: "path", kind: slug, about: "The id of a plug.", example: "heater_plug" } as const;
export const format = {
  kind: oneOf(["text", "json"]),
  about: "`text` or `json`; takes precedence over `Accept`.",
  example: "json",
} as const;

export const planQuery = { kind: slug, about: "The id of a plan; by default all plans.", example: "washer" } as const;
export const decimal = {
  kind: oneOf(decimalSigns),
  about: "For CSV: `comma` writes `1,25` with `;` between the columns, for spreadsheets with a decimal comma.",
  example: "comma",
} as const;

/**
 * Reads the parameters of a request. Returns the error `invalid_parameter` for a missing, repeated or invalid one, and
 * `resource_not_found` for an invalid one of the path. Ignores unknown names.
 */
export function readParameters<Rows extends Parameters>(
  rows: Rows,
  { path, query }: Pick<LocalRequest, "path" | "query">,
): { readonly kind: "params"; readonly params: ValuesOf<Rows> } | LocalError {
  const params: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(rows)) {
    const given = row.in === "path" ? [path[name] ?? ""] : query.getAll(name);
    if (given.length > 1)
      return localError("invalid_parameter", `${name} was given ${given.length} times; expected once`);
    const [text] = given;
    if (text === undefined && !row.required) {
      params[name] = null;
      continue;
    }
    const value = text === undefined ? null : row.kind.read(text);
    if (value === null) {
      const code = row.in === "path" ? "resource_not_found" : "invalid_parameter";
      return localError(code, `${name}: expected ${row.kind.expected}, found ${shown(text)}`);
    }
    params[name] = value;
  }
  return { kind: "params", params: params as ValuesOf<Rows> };
}

function shown(text: string | undefined): string {
  return text === undefined ? "nothing" : JSON.stringify(text.slice(0, 60));
}
