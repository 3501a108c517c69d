/** Kinds of request parameters: parser, writer and JSON schema. Client and servers use the same row. */
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { titled } from "./named-schemas.ts";
import { type ParsedText, parseInstant, unreadable } from "./range.ts";
import { type Aggregation, aggregations, type Resolution, resolutions } from "./resources.ts";

interface ParameterKind<Value> {
  readonly read: (text: string) => ParsedText<Value>;
  readonly write: (value: Value) => string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Value type of each kind. */
export interface ParameterValues {
  uuid: string;
  text: string;
  instant: EpochMs;
  timestamp: EpochMs;
  latitude: number;
  longitude: number;
  aggregation: Aggregation;
  resolution: Resolution;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
/** ISO 8601 in extended form; the time may be missing or shortened from its end. */
const LENIENT_INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
/** Dot segments cannot be path parameters: URL parsers resolve them in any encoding. */
const DOT_SEGMENT = /^\.{1,2}$/;
/** Longest free text in a path; real addresses are shorter. */
const MAX_TEXT_LENGTH = 200;

export const parameterKinds: { readonly [Kind in keyof ParameterValues]: ParameterKind<ParameterValues[Kind]> } = {
  uuid: {
    read: (text) => (UUID.test(text) ? value(text.toLowerCase()) : unreadable("is not a UUID")),
    write: (id) => id,
    schema: { type: "string", format: "uuid" },
  },
  text: { read: readText, write: (text) => text, schema: { type: "string", maxLength: MAX_TEXT_LENGTH } },
  instant: { read: parseInstant, write: formatInstant, schema: { type: "string", format: "date-time" } },
  timestamp: {
    read: (text) => parseInstant(completed(text)),
    write: formatInstant,
    schema: {
      type: "string",
      description: "ISO 8601 timestamp. Seconds and time are optional. Without a zone it is UTC.",
    },
  },
  latitude: degrees(90),
  longitude: degrees(180),
  aggregation: oneOf("Aggregation", aggregations),
  resolution: oneOf("Resolution", resolutions),
};

function value<Value>(found: Value): ParsedText<Value> {
  return { kind: "value", value: found };
}

/** Converts an ISO 8601 timestamp to RFC 3339; returns other texts unchanged. */
function completed(text: string): string {
  const [whole, date, hour = "00", minute = "00", second = "00", fraction = "0", zone = "Z"] =
    LENIENT_INSTANT.exec(text) ?? [];
  if (whole === undefined) return text;
  const [, offsetHour, offsetMinute = "00"] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const offset = offsetHour === undefined ? "Z" : `${offsetHour}:${offsetMinute}`;
  return `${date}T${hour}:${minute}:${second}.${fraction}${offset}`;
}

function readText(text: string): ParsedText<string> {
  if (text.length > MAX_TEXT_LENGTH) return unreadable(`is longer than ${MAX_TEXT_LENGTH} characters`);
  return DOT_SEGMENT.test(text) ? unreadable("is a path step (. or ..), not a text") : value(text);
}

/** Formats plain decimals, because the service may not read exponents; 20 are more precise than any coordinate. */
function writeDecimal(number: number): string {
  const text = String(number);
  return text.includes("e") ? number.toFixed(20).replace(/\.?0+$/, "") : text;
}

function degrees(most: number): ParameterKind<number> {
  return {
    read: (text) =>
      DECIMAL.test(text) && Math.abs(Number(text)) <= most
        ? value(Number(text))
        : unreadable(`is not a number of degrees between -${most} and ${most}`),
    write: writeDecimal,
    schema: { type: "number", format: "double", minimum: -most, maximum: most },
  };
}

function oneOf<const Values extends readonly string[]>(name: string, values: Values): ParameterKind<Values[number]> {
  const isOne = (text: string): text is Values[number] => values.includes(text);
  return {
    read: (text) => (isOne(text) ? value(text) : unreadable(`is not one of ${values.join(", ")}`)),
    write: (found) => found,
    schema: titled(name, { type: "string", enum: values }),
  };
}
