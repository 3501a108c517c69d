/** Parameters of `/local/v1`: kinds of values, and the parser for those of a request. */

import { connectionNames } from "../config/connections.ts";
import { settingNames } from "../config/setting-names.ts";
import { type Message, message, placed, type Text } from "../core/language/text.ts";
import { readLocalTime } from "../core/planning/model/local-time.ts";
import { readDuration } from "../core/planning/model/plan-definition.ts";
import { MAX_PRICE_LIMITS } from "../core/planning/plan-limits.ts";
import { KEY_NAME } from "../core/text/key-name.ts";
import { type EpochMs, formatInstant, HOUR_MS, type Interval } from "../core/time/interval.ts";
import { type LocalError, localError } from "../http/errors.ts";
import type { LocalRequest } from "../http/route.ts";
import { parseInstant } from "../service/contract/range.ts";
import { decimalSigns } from "./csv.ts";

export interface ParameterKind<Value> {
  /** Returns the value of a text; null if the text is not valid. */
  readonly read: (text: string) => Value | null;
  readonly expected: Message;
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
  expected: message("mistake.expected_id"),
  schema: { type: "string", pattern: SLUG.source },
};

export const instant: ParameterKind<EpochMs> = {
  read: (text) => {
    const reading = parseInstant(text);
    return reading.kind === "value" ? reading.value : null;
  },
  expected: message("mistake.expected_instant"),
  schema: { type: "string", format: "date-time" },
};

/** Duration above 0 and up to 24 h. Unit: ms. */
export const hours: ParameterKind<number> = {
  read: (text) => {
    const ms = readDuration(text);
    return ms !== null && ms > 0 && ms <= MAX_HOURS_MS ? ms : null;
  },
  expected: message("mistake.expected_hours_query"),
  schema: { type: "string", pattern: "^(\\d+(\\.\\d+)?h?|(\\d+(\\.\\d+)?h)?\\d+m)$" },
};

/** Local time of day. Unit: minutes since midnight. */
export const timeOfDay: ParameterKind<number> = {
  read: readLocalTime,
  expected: message("mistake.expected_clock"),
  schema: { type: "string", pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" },
};

export const price: ParameterKind<number> = {
  read: (text) => {
    const value = /^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
    return value >= MAX_PRICE_LIMITS.min && value <= MAX_PRICE_LIMITS.max ? value : null;
  },
  expected: message("mistake.expected_price_range", { least: MAX_PRICE_LIMITS.min, most: MAX_PRICE_LIMITS.max }),
  schema: { type: "number", minimum: MAX_PRICE_LIMITS.min, maximum: MAX_PRICE_LIMITS.max },
};

export const flag: ParameterKind<boolean> = {
  read: (text) => ({ "1": true, true: true, "0": false, false: false })[text] ?? null,
  expected: message("mistake.expected_flag"),
  schema: { type: "string", enum: ["1", "0", "true", "false"] },
};

export const count: ParameterKind<number> = {
  read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null),
  expected: message("mistake.expected_count"),
  schema: { type: "integer", minimum: 0 },
};

export function oneOf<const Name extends string>(names: readonly Name[]): ParameterKind<Name> {
  return {
    read: (text) => names.find((name) => name === text) ?? null,
    expected: message("mistake.expected_one_of", { values: names.join(", ") }),
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
  expected: message("mistake.expected_key"),
  schema: { type: "string", pattern: KEY_NAME.source },
};
export const key = { in: "path", kind: keyName, about: "The name of a key.", example: "phone" } as const;
export const setting = {
  in: "path",
  kind: oneOf(settingNames),
  about: "The name of a setting.",
  example: "notify",
} as const;
export const connection = {
  in: "path",
  kind: oneOf(connectionNames),
  about: "The name of a connection.",
  example: "mqtt",
} as const;
export const state = { in: "path", kind: slug, about: "The id of a state.", example: "000001" } as const;
export const plug = { in: "path", kind: slug, about: "The id of a plug.", example: "heater_plug" } as const;
export const format = {
  kind: oneOf(["text", "json"]),
  about: "`text` or `json`; takes precedence over `Accept`.",
  example: "json",
} as const;

/** 256 random bits in base64url. */
export const token: ParameterKind<string> = {
  read: (text) => (/^[A-Za-z0-9_-]{43}$/.test(text) ? text : null),
  expected: message("mistake.expected_feed_token"),
  schema: { type: "string", pattern: "^[A-Za-z0-9_-]{43}$" },
};

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
      return localError("invalid_parameter", message("refused.given_twice", { name, times: given.length }));
    const [text] = given;
    if (text === undefined && !row.required) {
      params[name] = null;
      continue;
    }
    const value = text === undefined ? null : row.kind.read(text);
    if (value === null) {
      const code = row.in === "path" ? "resource_not_found" : "invalid_parameter";
      const found = text === undefined ? message("mistake.value_nothing") : shown(text);
      return localError(code, unexpected(name, row.kind.expected, found));
    }
    params[name] = value;
  }
  return { kind: "params", params: params as ValuesOf<Rows> };
}

/** Returns the reason for refusing a named value. */
export function unexpected(name: string, expected: Message, found: Text): Message {
  return placed(name, message("mistake.value", { expected, found, hint: "" }));
}

/** Returns a value of a request as JSON, shortened. */
export function shown(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? value.slice(0, 60) : value)?.slice(0, 62) ?? "null";
}

/** Returns the range from `start` to `end`, or the error if it is empty. */
export function rangeOrError(start: EpochMs, end: EpochMs): Interval | LocalError {
  if (start < end) return { start, end };
  const facts = { from: formatInstant(start), to: formatInstant(end) };
  return localError("invalid_range", message("refused.range", facts));
}
