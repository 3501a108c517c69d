/** Parameters of `/local/v1`: schemas of their texts, and the parser for those of a request. */

import * as z from "zod/mini";
import { expectedOf } from "../config/schema/values.ts";
import { connectionNames, settingNames } from "../config/settings.ts";
import { type Message, message, placed, type Text } from "../core/language/text.ts";
import { readLocalTime } from "../core/planning/model/local-time.ts";
import { readDuration } from "../core/planning/model/plan-definition.ts";
import { MAX_PRICE_LIMITS } from "../core/planning/plan-limits.ts";
import { KEY_NAME } from "../core/text/key-name.ts";
import { type EpochMs, formatInstant, HOUR_MS, type Interval } from "../core/time/interval.ts";
import { type LocalError, localError } from "../http/errors.ts";
import type { LocalRequest } from "../http/route.ts";
import { parseInstant } from "../service/contract/range.ts";
import { decimalSigns } from "./house/csv.ts";
import { noted, oneOf, pattern, type Schema } from "./schema.ts";

/** Parameters by name. One that the path names is a part of it; all others are in the query. */
export type Parameters = Readonly<Record<string, Schema>>;

/** Values of the parameters; null for an optional one that the request omits. */
export type ValuesOf<Rows extends Parameters> = {
  readonly [Name in keyof Rows]: undefined extends z.output<Rows[Name]>
    ? NonNullable<z.output<Rows[Name]>> | null
    : z.output<Rows[Name]>;
};

/** Declares a parameter that every request has. */
export function required<Given extends Schema>(schema: Given, about: string, example: string): Given {
  return noted(schema, { description: about, example });
}

/** Declares a parameter that a request may omit. */
export function omittable<Given extends Schema>(schema: Given, about: string, example: string) {
  return noted(z.optional(schema), { description: about, example });
}

export function documentationOf(parameter: Schema): { readonly about: string; readonly example: string } {
  const { description = "", example } = z.globalRegistry.get(parameter) ?? {};
  return { about: description, example: String(example) };
}

/** Returns the names in a path, such as `plan` of `/plans/:plan`. */
export function namesIn(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** Text from which `read` makes a value; null means that it is not as `expected`. `json` are keywords of JSON Schema. */
function textAs<Value>(read: (text: string) => Value | null, expected: Message, json: z.core.GlobalMeta) {
  const parse = (text: string, { issues }: { issues: z.core.$ZodRawIssue[] }): Value => {
    const value = read(text);
    if (value !== null) return value;
    issues.push({ code: "custom", input: text, params: expected });
    return z.NEVER;
  };
  return z.pipe(noted(z.string(expected.key), json), z.transform(parse));
}

const MAX_HOURS_MS = 24 * HOUR_MS;

const slug = pattern(/^[a-z0-9][a-z0-9_-]{0,99}$/, "mistake.expected_id");

export const instantText = textAs<EpochMs>(
  (text) => {
    const reading = parseInstant(text);
    return reading.kind === "value" ? reading.value : null;
  },
  message("mistake.expected_instant"),
  { format: "date-time" },
);

/** Duration above 0 and up to 24 h. Unit: ms. */
export const hours = textAs<number>(
  (text) => {
    const ms = readDuration(text);
    return ms !== null && ms > 0 && ms <= MAX_HOURS_MS ? ms : null;
  },
  message("mistake.expected_hours_query"),
  { pattern: "^(\\d+(\\.\\d+)?h?|(\\d+(\\.\\d+)?h)?\\d+m)$" },
);

/** Local time of day. Unit: minutes since midnight. */
export const timeOfDay = textAs(readLocalTime, message("mistake.expected_clock"), {
  pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
});

const { min, max } = MAX_PRICE_LIMITS;
export const price = textAs<number>(
  (text) => {
    const value = /^-?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : null;
  },
  message("mistake.expected_price_range", { least: min, most: max }),
  { type: "number", minimum: min, maximum: max },
);

export const flag = textAs<boolean>(
  (text) => ({ "1": true, true: true, "0": false, false: false })[text] ?? null,
  message("mistake.expected_flag"),
  { enum: ["1", "0", "true", "false"] },
);

export const countText = textAs<number>(
  (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null),
  message("mistake.expected_count"),
  { type: "integer", minimum: 0 },
);

/** 256 random bits in base64url. */
export const feedToken = pattern(/^[A-Za-z0-9_-]{43}$/, "mistake.expected_feed_token");

/** Parameters shared by several endpoints. */
export const homeAs = (about: string) => omittable(slug, about, "home");
export const home = homeAs("The id of a home or of a third-party place; optional if there is only one.");
export const homeInPath = required(slug, "The id of a home.", "home");
export const direction = omittable(
  oneOf(["import", "export"]),
  "`export` returns the prices of sold energy; `import`, those of bought energy, is the default.",
  "export",
);
export const plan = required(slug, "The id of a plan.", "washer");
export const planQuery = omittable(slug, "The id of a plan; by default all plans.", "washer");
export const key = required(pattern(KEY_NAME, "mistake.expected_key"), "The name of a key.", "phone");
export const setting = required(oneOf(settingNames), "The name of a setting.", "notify");
export const connection = required(oneOf(connectionNames), "The name of a connection.", "mqtt");
export const state = required(slug, "The id of a state.", "000001");
export const plug = required(slug, "The id of a plug.", "heater_plug");
export const formatAs = (about: string) => omittable(oneOf(["text", "json"]), about, "json");
export const format = formatAs("`text` or `json`; takes precedence over `Accept`.");
export const decimal = omittable(
  oneOf(decimalSigns),
  "For CSV: `comma` writes `1,25` with `;` between the columns, for spreadsheets with a decimal comma.",
  "comma",
);

/** Reads parameters. Errors: `invalid_parameter`, in the path `resource_not_found`. Ignores unknown names. */
export function readParameters<Rows extends Parameters>(
  { path: template, params: rows }: { readonly path: string; readonly params: Rows },
  { path, query }: Pick<LocalRequest, "path" | "query">,
): { readonly kind: "params"; readonly params: ValuesOf<Rows> } | LocalError {
  const inPath = new Set(namesIn(template));
  const params: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(rows)) {
    const texts = inPath.has(name) ? [path[name] ?? ""] : query.getAll(name);
    if (texts.length > 1)
      return localError("invalid_parameter", message("refused.given_twice", { name, times: texts.length }));
    const [text] = texts;
    const reading = schema.safeParse(text);
    if (reading.success) params[name] = reading.data ?? null;
    else {
      const code = inPath.has(name) ? "resource_not_found" : "invalid_parameter";
      const found = text === undefined ? message("mistake.value_nothing") : shown(text);
      return localError(code, unexpected(name, expectedIn(reading.error), found));
    }
  }
  return { kind: "params", params: params as ValuesOf<Rows> };
}

function expectedIn({ issues: [issue] }: z.core.$ZodError): Message {
  const own = issue?.code === "custom" && issue.params;
  return own ? (own as Message) : issue ? expectedOf(issue) : message("mistake.expected_other");
}

/** Returns the reason for refusing a named value. */
export function unexpected(name: string, expected: Message, found: Text): Message {
  return placed(name, message("mistake.value", { expected, found, hint: "" }));
}

/** Returns a value of a request as JSON, shortened. */
export function shown(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? value.slice(0, 60) : value)?.slice(0, 62) ?? "null";
}

/** Values of the parameters `from` and `to`. */
export type Range = Readonly<Record<"from" | "to", EpochMs | null>>;

/** Returns the range from `start` to `end`, or the error if it is empty. */
export function rangeOrError(start: EpochMs, end: EpochMs): Interval | LocalError {
  if (start < end) return { start, end };
  const facts = { from: formatInstant(start), to: formatInstant(end) };
  return localError("invalid_range", message("refused.range", facts));
}
