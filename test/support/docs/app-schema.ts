/**
 * Generates the options of the Home Assistant app from the configuration schema. Every key of the schema is either in
 * the app's form or in one of the two exclusion tables below.
 */
import { stringify } from "yaml";
import * as z from "zod/mini";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { isOptional, itemOf, kindOf, shapeOf } from "../../../src/config/schema/schema-nodes.ts";

type Node = z.core.$ZodType;

/** Element of the supervisor's schema: a type, a list of one element, or an object of elements. */
export type AppElement = string | readonly [AppElement] | { readonly [key: string]: AppElement };

/** Sections that are not in the app's form, with the reason. They can be set in elbro.yaml. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  service: "for tests and development",
  mqtt: "the supervisor names the broker",
  home_assistant: "the supervisor leads to Home Assistant",
  mdns: "the side bar of Home Assistant leads to the dashboard",
  update_feed: "Home Assistant shows new versions of its apps",
  archive: "for many homes, which the app does not serve",
  accounts_dir: "for many homes, which the app does not serve",
  shard: "for many homes, which the app does not serve",
  broker: "the app uses Home Assistant's broker",
  api: "its address is the app's; keys are made with `elbro keys create`",
  levels: "has good defaults",
  history: "has good defaults",
  retention: "has good defaults",
  data_dir: "is the app's",
};

/** Keys that are left out of the form, because few need them. */
export const NOT_IN_A_FORM: ReadonlySet<string> = new Set([
  "consumer.name",
  "homes[].export",
  "third_party.hash_encoding",
  ...["webhook_method", "webhook_headers", "webhook_body", "language", "events"].map((name) => `notify.${name}`),
  ...[
    "values",
    "power",
    "energy",
    "starts_when",
    "ends_when",
    "on",
    "off",
    "dead_man",
    "ask",
    "state",
    "availability",
  ].map((name) => `plugs[].${name}`),
]);

/** Values that require one of the keys above. */
const LEFT_OUT_VALUES: Readonly<Record<string, readonly string[]>> = { "plugs[].family": ["custom"] };

/** Returns the app's schema by section. */
export function appSchema(): Readonly<Record<string, AppElement>> {
  const sections = Object.entries(shapeOf(configSchema) ?? {}).filter(([name]) => !(name in ELSEWHERE));
  return Object.fromEntries(sections.map(([name, node]) => [name, elementOf(node, name)]));
}

/** Returns the generated text of the app's config.yaml. */
export function appSchemaText(): string {
  return stringify({ schema: appSchema() }, { lineWidth: 0 });
}

function elementOf(node: Node, path: string): AppElement {
  const shape = shapeOf(node);
  // An object inside a list item would always be required, so it is a text in the form of YAML.
  // Source: supervisor/apps/options.py, `_check_missing_options`.
  if (shape && path.includes("[]")) return "str?";
  if (shape) return sectionOf(shape, path);
  if (kindOf(node) !== "list") return `${leafOf(node, path)}${isOptional(node) ? "?" : ""}`;
  const item = itemOf(node);
  const items = item && shapeOf(item);
  if (items) return [sectionOf(items, `${path}[]`)];
  if (!item) throw new Error(`${path} is a list of nothing`);
  return [`${leafOf(item, path)}${isOptional(node) ? "?" : ""}`];
}

function sectionOf(shape: Readonly<Record<string, Node>>, path: string): AppElement {
  const kept = Object.entries(shape).filter(([name]) => !NOT_IN_A_FORM.has(`${path}.${name}`));
  return Object.fromEntries(kept.map(([name, node]) => [name, elementOf(node, `${path}.${name}`)]));
}

/** Returns the supervisor's type of a single value. Throws for a type that it cannot represent. */
function leafOf(node: Node, path: string): string {
  const schema = z.toJSONSchema(node, { io: "input", unrepresentable: "any" });
  if (/(^|[._])(api_key|api_secret|token|password)$/.test(path)) return "password";
  if (schema.enum) {
    const values = schema.enum.map(String).filter((value) => !LEFT_OUT_VALUES[path]?.includes(value));
    return `list(${values.join("|")})`;
  }
  if (schema.type === "boolean") return "bool";
  if (schema.type === "integer") return `int${rangeOf(schema)}`;
  if (schema.type === "number") return `float${rangeOf(schema)}`;
  if (schema.type === "string" && schema.format === undefined && schema.pattern && isPortable(schema.pattern))
    return `match(${schema.pattern})`;
  // The supervisor refuses a number for `str`, and turns it into a text for `match`.
  const isNumber = ({ type, ...more }: { readonly type?: unknown }) =>
    type === "number" || type === "integer" || (type === undefined && Object.keys(more).length === 0);
  if (schema.anyOf?.some(isNumber)) return "match(.+)";
  // Addresses, topics and lists as text: elbro itself validates these.
  if (schema.type === "string" || schema.anyOf) return "str";
  if (Object.keys(schema).every((key) => key === "$schema")) return `match(${DURATION})`;
  throw new Error(`the app has no element for ${path}: ${JSON.stringify(schema)}`);
}

/** Duration as `readDuration` accepts it. The supervisor passes it as a string, so a number of hours is included. */
const DURATION = "^\\d+(\\.\\d+)?(h(\\d+m)?|m)?$";

/** Returns true if Python and JavaScript interpret the pattern in the same way. */
function isPortable(pattern: string): boolean {
  return !/[+#]\/|\(\?/.test(pattern);
}

function rangeOf({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): string {
  const bounded = [minimum, maximum].map((bound) =>
    bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? "" : String(bound),
  );
  return bounded.some((bound) => bound !== "") ? `(${bounded.join(",")})` : "";
}
