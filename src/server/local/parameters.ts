/** The parameters of `/local/v1` as data: how each is read, and what the documentation says of it. */

import { readDuration, readLocalTime } from "../../core/planning/model/plan-definition.ts";
import { MAX_PRICE_LIMITS } from "../../core/planning/plan-settings.ts";
import { type FormatName, priceFormats } from "../../core/prices/formats/format-registry.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { HOUR_MS } from "../../core/time/interval.ts";
import { parseInstant } from "../../service/contract/range.ts";
import { type LocalError, localError } from "../http/errors.ts";
import type { LocalRequest } from "../http/route.ts";
import type { LocalOperationId } from "./routes.ts";

/** The value each kind of parameter stands for. */
interface Values {
  slug: string;
  instant: EpochMs;
  /** Milliseconds. */
  hours: number;
  /** Minutes of the local day. */
  time: number;
  price: number;
  flag: boolean;
  cheapKind: "window" | "slots";
  answerForm: "text" | "json";
  formatName: FormatName;
}

type Kind = keyof Values;

interface KindRow<Value> {
  /** Null for a text that it cannot be. */
  readonly read: (text: string) => Value | null;
  readonly expected: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const SLUG = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const MAX_HOURS_MS = 24 * HOUR_MS;
const FORMAT_NAMES = Object.keys(priceFormats) as FormatName[];

export const localParameterKinds: { readonly [K in Kind]: KindRow<Values[K]> } = {
  slug: {
    read: (text) => (SLUG.test(text) ? text : null),
    expected: "an id of lower-case letters, digits, _ and -",
    schema: { type: "string", pattern: SLUG.source },
  },
  instant: {
    read: (text) => {
      const reading = parseInstant(text);
      return reading.kind === "instant" ? reading.at : null;
    },
    expected: "an instant as 2026-03-10T09:00:00Z (the + of an offset is written %2B)",
    schema: { type: "string", format: "date-time" },
  },
  hours: {
    read: (text) => {
      const ms = readDuration(/^\d+(\.\d+)?$/.test(text) ? Number(text) : text);
      return ms !== null && ms > 0 && ms <= MAX_HOURS_MS ? ms : null;
    },
    expected: "hours above 0 and up to 24, as 3, 1.5, 45m or 1h30m",
    schema: { type: "string", pattern: "^(\\d+(\\.\\d+)?|(\\d+(\\.\\d+)?h)?(\\d+m)?)$" },
  },
  time: {
    read: readLocalTime,
    expected: "a time of day from 00:00 to 23:59",
    schema: { type: "string", pattern: "^([01]\\d|2[0-3]):[0-5]\\d$" },
  },
  price: {
    read: (text) => {
      const price = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
      return price >= MAX_PRICE_LIMITS.min && price <= MAX_PRICE_LIMITS.max ? price : null;
    },
    expected: `a price per kWh from ${MAX_PRICE_LIMITS.min} to ${MAX_PRICE_LIMITS.max}, as 1.25`,
    schema: { type: "number", minimum: MAX_PRICE_LIMITS.min, maximum: MAX_PRICE_LIMITS.max },
  },
  flag: {
    read: (text) => ({ "1": true, true: true, "0": false, false: false })[text] ?? null,
    expected: "1 or 0",
    schema: { type: "string", enum: ["1", "0", "true", "false"] },
  },
  cheapKind: oneOf(["window", "slots"]),
  answerForm: oneOf(["text", "json"]),
  formatName: oneOf(FORMAT_NAMES),
};

function oneOf<const Name extends string>(names: readonly Name[]): KindRow<Name> {
  return {
    read: (text) => names.find((name) => name === text) ?? null,
    expected: `one of ${names.join(", ")}`,
    schema: { type: "string", enum: names },
  };
}

export interface ParameterRow {
  readonly in: "path" | "query";
  readonly kind: Kind;
  /** A parameter of a path is always there. */
  readonly required?: true;
  readonly about: string;
  readonly example: string;
}

const home = {
  in: "query",
  kind: "slug",
  about: "The id of a home or of a third-party place; may be left out where there is only one.",
  example: "home",
} as const;
const plan = { in: "path", kind: "slug", about: "The id of a plan.", example: "washer" } as const;
const form = {
  in: "query",
  kind: "answerForm",
  about: "`text` or `json`, in place of what `Accept` asks for.",
  example: "json",
} as const;

export const localParameters = {
  now: {
    home: { ...home, about: "The id of a home or of a third-party place; without it all of them are told." },
    format: { ...form, about: "`text` answers the price of one home or place alone; `json` is usual." },
  },
  prices: {
    home,
    from: {
      in: "query",
      kind: "instant",
      about: "From when on; today's midnight where it is left out.",
      example: "2026-03-10T00:00:00Z",
    },
    to: {
      in: "query",
      kind: "instant",
      about: "Until when; the end of what is known where it is left out.",
      example: "2026-03-11T00:00:00Z",
    },
  },
  plans: {},
  plan: { plan },
  changePlan: { plan },
  cheap: {
    home,
    hours: {
      in: "query",
      kind: "hours",
      required: true,
      about: "How long, in each window: hours, or a text as `45m` or `1h30m`.",
      example: "3",
    },
    ready_by: {
      in: "query",
      kind: "time",
      about: "Everything has run by this local time, each day. Without it the time of `from`, without both midnight.",
      example: "07:00",
    },
    from: {
      in: "query",
      kind: "time",
      about: "Nothing runs before this local time. Without it the window begins where the one before ended.",
      example: "22:00",
    },
    kind: {
      in: "query",
      kind: "cheapKind",
      about: "`window`: all hours in one run (usual). `slots`: the cheapest ones, wherever they are.",
      example: "slots",
    },
    max_price: {
      in: "query",
      kind: "price",
      about: "The most that is paid: for `window` on average, for `slots` in each.",
      example: "2.50",
    },
    format: form,
  },
  signal: {
    plan,
    code: {
      in: "query",
      kind: "flag",
      about: "`1`: 200 while ON and 400 while OFF, for devices that see only the status.",
      example: "1",
    },
    format: form,
  },
  format: {
    format: { in: "path", kind: "formatName", about: "The program that reads it.", example: "evcc" },
    home,
  },
} as const satisfies Record<LocalOperationId, Record<string, ParameterRow>>;

type Rows = typeof localParameters;
type ValueOf<Row> = Row extends { kind: infer K extends Kind }
  ? Row extends { required: true } | { in: "path" }
    ? Values[K]
    : Values[K] | null
  : never;

/** What an operation is asked with; null for what was left out. */
export type LocalParams<Id extends LocalOperationId> = {
  readonly [Name in keyof Rows[Id]]: ValueOf<Rows[Id][Name]>;
};

export type LocalParamsReading<Id extends LocalOperationId> =
  | { readonly kind: "params"; readonly params: LocalParams<Id> }
  | LocalError;

/**
 * Reads the parameters of a request. Errors: `invalid_parameter` for one that is missing, given twice or not what is
 * expected; of a path, `resource_not_found`. Names that an operation does not know are ignored.
 */
export function readLocalParams<Id extends LocalOperationId>(
  id: Id,
  { path, query }: Pick<LocalRequest, "path" | "query">,
): LocalParamsReading<Id> {
  const rows: Readonly<Record<string, ParameterRow>> = localParameters[id];
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
    const { read, expected } = localParameterKinds[row.kind];
    const value = text === undefined ? null : read(text);
    if (value === null) {
      const code = row.in === "path" ? "resource_not_found" : "invalid_parameter";
      return localError(code, `${name}: expected ${expected}, found ${shown(text)}`);
    }
    params[name] = value;
  }
  return { kind: "params", params: params as LocalParams<Id> };
}

function shown(text: string | undefined): string {
  return text === undefined ? "nothing" : JSON.stringify(text.slice(0, 60));
}
