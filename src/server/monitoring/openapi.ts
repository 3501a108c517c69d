/** What the OpenAPI document and the documentation say of the routes that tell how house and daemon are. */
import { eventRows } from "../events/event-source.ts";
import { healthCodes } from "./health.ts";
import { metricRows } from "./metrics.ts";
import { METRICS_TYPE } from "./prometheus-text.ts";

type Json = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const number = { type: "number" };
const whole = { type: "integer" };
const truth = { type: "boolean" };
const instant = { type: "string", format: "date-time" };

/** An object with these fields, all of them there. */
function fields(properties: Json): Json {
  return { type: "object", properties, required: Object.keys(properties) };
}

function list(items: Json): Json {
  return { type: "array", items };
}

/** Something that may be unknown. */
function or(schema: Json): Json {
  return { anyOf: [schema, { type: "null" }] };
}

/** One of `liveSchemas`. */
function named(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function json(description: string, schema: Json): Json {
  return { description, content: { "application/json": { schema } } };
}

const healthCheck = {
  ...fields({ ok: truth, code: { type: "string", enum: Object.keys(healthCodes) }, text }),
  description: Object.entries(healthCodes)
    .map(([code, meaning]) => `\`${code}\`: ${meaning}.`)
    .join(" "),
};

const healthProperties = {
  status: { type: "string", enum: ["ok", "starting", "degraded", "unhealthy"] },
  checks: fields(
    Object.fromEntries(["loop", "database", "prices", "clock", "problems"].map((name) => [name, named("HealthCheck")])),
  ),
};

const problem = fields({
  code: text,
  subject: text,
  since: instant,
  ended_at: or(instant),
  advice: text,
  detail: text,
  request_id: or(text),
});

const window = or(fields({ limit: whole, left: whole, resets_at: or(instant) }));
const counts = { type: "object", additionalProperties: whole };

const systemSchema = fields({
  version: text,
  node: text,
  now: instant,
  started_at: instant,
  uptime_seconds: whole,
  time_trusted: truth,
  health: fields(healthProperties),
  interfaces: list(
    fields({
      account: text,
      interface: or({ type: "string", enum: ["consumer", "third_party"] }),
      state: or(text),
      quota: fields({ minute: window, day: window }),
      today: fields({ requests: or(whole), by_share: counts, by_outcome: counts }),
      since_start: list(fields({ operation: text, outcome: text, count: whole })),
    }),
  ),
  series: list(
    fields({
      home: or(text),
      name: or(text),
      account: text,
      series: text,
      last_success_at: or(instant),
      age_seconds: or(whole),
    }),
  ),
  backfill: or(fields({ days_known: whole, days_wanted: whole })),
  broker: fields({
    kind: { type: "string", enum: ["inside", "configured"] },
    host: or(text),
    connected: truth,
    trouble: or(text),
    connections: whole,
    published: whole,
  }),
  plugs: list({ type: "object", description: "`id`, and what the topic `…/plug/<plug>/state` holds." }),
  lan: fields({ listeners: whole, requests: list(fields({ key: or(text), status: whole, count: whole })) }),
  database: fields({ bytes: whole, log_bytes: or(whole), row_changes: whole }),
  memory: { type: "object", additionalProperties: number },
  problems: list(problem),
});

const healthAnswers = (bad: string): Json => {
  const schema = named("Health");
  return { 200: json("It is well.", schema), 503: json(bad, schema) };
};

/** What answers have in common, by name. */
export const liveSchemas: Json = {
  HealthCheck: healthCheck,
  Health: fields({ ...healthProperties, version: text }),
  System: systemSchema,
};

const facts: Readonly<Record<string, Json>> = {
  "/events": {
    description: `Server-sent events, each with an \`id\` and JSON as \`data\`. First \`hello\` (\`version\`, \`started_at\`, \`resumed\`), then the present state, or what was missed since the \`Last-Event-ID\`, then \`ready\`; from then on what changes. ${eventRows
      .map(({ type, about }) => `\`${type}\`: ${about}.`)
      .join(" ")} \`data\`: \`home\`, \`series\`, \`unit\`: a series has other rows than before.`,
    parameters: [
      { name: "home", in: "query", required: false, description: "Only this home, and what is of none.", schema: text },
      {
        name: "Last-Event-ID",
        in: "header",
        required: false,
        description: "The last `id` that was heard; a browser sends it by itself.",
        schema: text,
      },
    ],
    responses: { 200: { description: "The stream.", content: { "text/event-stream": { schema: text } } } },
  },
  "/metrics": {
    responses: {
      200: {
        description: `${metricRows.length} figures, as docs/monitoring.md lists them.`,
        content: { [METRICS_TYPE]: { schema: text } },
      },
    },
  },
  "/healthz": { responses: healthAnswers("The house is not served: what is wrong stands in the checks.") },
  "/livez": { responses: healthAnswers("A restart could mend what is wrong.") },
  "/local/v1/system": { responses: { 200: json("The daemon in full.", named("System")) } },
  "/local/v1/diagnostics": {
    responses: {
      200: json("The same with the configuration, without secrets, names and places: to be shown to others.", {
        type: "object",
      }),
    },
  },
  "/openapi.json": { responses: { 200: json("This document.", { type: "object" }) } },
};

/** What is said of a route; null for one of others. */
export function liveFacts(path: string): Json | null {
  return facts[path] ?? null;
}

/** Table of events in docs/http-api.md. Shape: Markdown without a line break at its ends. */
export function eventDocs(): string {
  const rows = [
    {
      type: "hello",
      about: "`version`, `started_at`, `resumed`: whether what was missed follows, or the present state",
    },
    ...eventRows,
    { type: "data", about: "`home`, `series`, `unit`: a series has other rows than before; read it again" },
    { type: "ready", about: "nothing: all that was to be caught up with is told" },
  ];
  return table(
    ["event", "data"],
    rows.map(({ type, about }) => [`\`${type}\``, about]),
  );
}

/** Table of figures in docs/monitoring.md. */
export function metricDocs(): string {
  return table(
    ["figure", "kind", "labels", "what it says"],
    metricRows.map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(" "),
      help,
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
