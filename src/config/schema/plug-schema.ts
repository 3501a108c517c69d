/** Schema of the list of plugs: access to each plug, and the plan or signal that it follows. */
import * as z from "zod/mini";
import { type Fact, type Message, message } from "../../core/language/text.ts";
import { readDuration } from "../../core/planning/model/plan-definition.ts";
import { type WhenLost, whenLostOf, whenLostValues } from "../../core/planning/model/plan-spec.ts";
import { MAX_POWER_KW } from "../../core/planning/plan-limits.ts";
import { type PlugFamily, plugFamilies } from "../../core/plugs/families/families.ts";
import { valueActionOf } from "../../core/plugs/families/home-assistant.ts";
import { energyUnits, powerUnits } from "../../core/plugs/families/meter-readers.ts";
import type { PlugAddress, PlugFamilyRow } from "../../core/plugs/families/plug-family.ts";
import { isMqttTopic } from "../../core/text/mqtt-text.ts";
import { entryId } from "../entry-list.ts";
import { secret } from "../overlay/secret-servers.ts";
import { quoted } from "../reading/suggest-key.ts";
import type { KeyCondition } from "./conditions.ts";
import { type PlanEntry, planTextsOf } from "./plan-schema.ts";
import {
  type Expected,
  lines,
  missing,
  missingWith,
  mistakes,
  oneLine,
  passes,
  repeated,
  slug,
  slugs,
  topic,
} from "./values.ts";

const families = Object.keys(plugFamilies) as [PlugFamily, ...PlugFamily[]];
/** SHA-256 in the form of browsers and openssl. */
const FINGERPRINT = /^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){31}$/;
const minutes = z._default(z.number().check(z.minimum(0), z.maximum(24 * 60)), 0);
const said = z.optional(z.strictObject({ topic, payload: z.string() }));

/** Payloads to compare with. Expressions of earlier versions are texts between slashes, see `expressionsIn`. */
const payloads = z.union([
  oneLine,
  z.array(oneLine).check(z.minLength(1, "mistake.expected_payloads" satisfies Expected)),
]);

const watts = z.number().check(z.gt(0), z.maximum(MAX_POWER_KW * 1_000));
const durationText = oneLine.check(passes((value) => (readDuration(value) ?? 0) > 0, "mistake.expected_duration"));
const entity = oneLine.check(z.regex(/^[a-z_]+\.[a-z0-9_]+$/, "mistake.expected_entity" satisfies Expected));
/** A name in a JSON payload: it is called a key, but is not a secret. */
const payloadKey = z.optional(secret("nobody", oneLine));
const measuredAt = { topic: z.optional(topic), entity: z.optional(entity), key: payloadKey };
const entityValue = z.union([z.number(), oneLine]);

export const plugSchema = z
  .strictObject({
    id: z.optional(slug),
    name: oneLine,
    family: z.enum(families),
    topic: z.optional(topic),
    entity: z.optional(entity),
    values: z.optional(z.strictObject({ on: entityValue, off: entityValue })),
    url: z.optional(
      oneLine.check(z.regex(/^https?:\/\/[\w.:[\]-]+\/?$/, "mistake.expected_plug_url" satisfies Expected)),
    ),
    username: z.optional(oneLine),
    password: z.optional(secret("url", oneLine)),
    certificate: z.optional(oneLine.check(z.regex(FINGERPRINT, "mistake.expected_fingerprint" satisfies Expected))),
    channel: z.optional(z.union([z.int(), lines])),
    plan: z.optional(
      z.union([slugs, z.array(slug).check(z.minLength(1, "mistake.expected_plans" satisfies Expected))]),
    ),
    home: z.optional(slug),
    signal: z.optional(z.enum(["cheap"])),
    signal_topic: z.optional(topic),
    starts_when: z.optional(z.strictObject({ above_w: watts })),
    ends_when: z.optional(z.strictObject({ below_w: watts, for: z._default(durationText, "5m") })),
    override: z._default(z.enum(["respect", "enforce"]), "respect"),
    when_lost: z.optional(z.enum(whenLostValues)),
    inverted: z._default(z.boolean(), false),
    min_on: minutes,
    min_off: minutes,
    power: z.optional(z.strictObject({ ...measuredAt, unit: z.optional(z.enum(powerUnits)) })),
    energy: z.optional(z.strictObject({ ...measuredAt, unit: z.optional(z.enum(energyUnits)) })),
    on: said,
    off: said,
    dead_man: said,
    ask: said,
    state: z.optional(z.strictObject({ topic, key: payloadKey, on: payloads, off: payloads })),
    availability: z.optional(z.strictObject({ topic, key: payloadKey, online: payloads, offline: payloads })),
  })
  .check(mistakes((value) => [...mistakesIn(value)].map(([key, said]) => ({ path: [key], ...said }))));

type Plug = z.infer<typeof plugSchema>;
export type PlugConfig = Plug;
type KeyMistake = readonly [key: keyof Plug & string, said: Message];

const CUSTOM_KEYS = ["on", "off", "dead_man", "ask", "state", "availability"] as const;

const ADDRESS_KEYS = ["topic", "entity", "url", "topic_file", "entity_file", "url_file"];
const HTTP_KEYS = ["url", "username", "password", "certificate"];
const allBut = (...others: PlugFamily[]) => families.filter((family) => !others.includes(family));
const withoutHttp = families.filter((family) => !("http" in plugFamilies[family]));

/** Some of the checks below, as conditions for the JSON Schema. */
export const plugConditions: readonly KeyCondition[] = [
  { key: "family", values: allBut("custom"), without: CUSTOM_KEYS, oneOf: ADDRESS_KEYS },
  { key: "family", values: withoutHttp, without: HTTP_KEYS },
  { key: "family", values: allBut("homeassistant"), without: ["entity", "values"] },
  { key: "family", values: ["homeassistant"], without: ["topic"] },
];

function* mistakesIn(plug: Plug): Generator<KeyMistake> {
  const { plan, home, signal, signal_topic } = plug;
  const followed = [plan, signal, signal_topic].filter((each) => each !== undefined).length;
  if (followed !== 1) yield ["plan", message("mistake.follows", { found: followed || message("mistake.value_none") })];
  else if (signal !== undefined && home === undefined) yield ["home", missing("mistake.expected_signal_home")];
  else if (signal_topic !== undefined && home !== undefined)
    yield ["home", message("mistake.useless", { other: "signal_topic" })];
  for (const key of ["starts_when", "ends_when"] as const)
    if (plug[key] && plan === undefined) yield [key, message("mistake.plan_only")];
  yield* channelMistakes(plug);
  yield* entityMistakes(plug);
  const { family } = plug;
  if (plug.url !== undefined && !("http" in plugFamilies[family]))
    yield ["url", message("mistake.http_only", { family })];
  if (family !== "custom") yield* familyMistakes(plug);
  else for (const key of ["on", "off"] as const) if (!plug[key]) yield [key, missing("mistake.expected_custom")];
}

function* familyMistakes(plug: Plug): Generator<KeyMistake> {
  const { family } = plug;
  const { address = "topic", topic: about, channel, http }: PlugFamilyRow = plugFamilies[family];
  for (const key of CUSTOM_KEYS) if (plug[key] !== undefined) yield [key, message("mistake.custom_only", { family })];
  if (plug.url === undefined) {
    if (plug[address] === undefined) yield [address, described(about)];
  } else if (http && plug.topic !== undefined) yield ["topic", message("mistake.useless", { other: "url" })];
  yield* accessMistakes(plug);
  if (plug.channel === undefined && channel.ordinary === null) yield ["channel", described(channel.about)];
}

function described(expected: Message, found: Fact = message("mistake.value_nothing")): Message {
  return message("mistake.described", { expected, found });
}

function* channelMistakes({ family, channel }: Plug): Generator<KeyMistake> {
  const { fits, about }: PlugFamilyRow["channel"] = plugFamilies[family].channel;
  if (channel === undefined || (fits.test(String(channel)) && isMqttTopic(String(channel)))) return;
  yield ["channel", described(about, JSON.stringify(channel))];
}

function* entityMistakes({ family, topic, entity, values, power, energy }: Plug): Generator<KeyMistake> {
  const isEntity = family === "homeassistant";
  for (const [key, value] of Object.entries({ entity, values }))
    if (!isEntity && value !== undefined) yield [key as keyof Plug, message("mistake.homeassistant_only", { family })];
  if (isEntity && topic !== undefined) yield ["topic", message("mistake.useless", { other: "entity" })];
  for (const [key, meter] of Object.entries({ power, energy })) {
    const [wanted, other] = isEntity ? (["entity", "topic"] as const) : (["topic", "entity"] as const);
    if (meter && (meter[wanted] === undefined || meter[other] !== undefined || (isEntity && (meter.key ?? meter.unit))))
      yield [key as keyof Plug, message(isEntity ? "mistake.meter_entity" : "mistake.meter_topic")];
  }
  if (!isEntity || entity === undefined) return;
  const action = valueActionOf(entity);
  if (action === undefined) yield ["entity", described(message("mistake.homeassistant_entity"), quoted(entity))];
  else if (values && !action) yield ["values", message("mistake.useless", { other: entity })];
  else if (!values && action?.isRequired) yield ["values", missing("mistake.expected_values")];
  else if (values && String(values.on) === String(values.off)) yield ["values", message("mistake.same_values")];
}

function* accessMistakes({ url, username, password, certificate }: Plug): Generator<KeyMistake> {
  for (const [key, value] of Object.entries({ username, password, certificate }))
    if (value !== undefined && url === undefined) yield [key as keyof Plug, message("mistake.url_only")];
  if (username !== undefined && password === undefined) yield ["password", missingWith("username")];
  if (certificate !== undefined && url?.startsWith("http:")) yield ["certificate", message("mistake.https_only")];
}

/** Returns the plans that a plug follows; empty if it follows something else. */
export function plansOf({ plan }: Pick<Plug, "plan">): readonly string[] {
  return plan === undefined ? [] : [plan].flat().flatMap((ids) => ids.split(/, ?/));
}

/**
 * List of plugs. Two plugs with one id would share their topics; two with one device would switch against each other.
 */
export const plugs = z.array(plugSchema).check(
  mistakes((list) => [
    ...repeated(list.map(entryId)).map(({ name, index, first }) => ({
      path: [index, "id"],
      ...message("mistake.same_id", { first, name }),
    })),
    ...repeated(list.map(deviceOf)).map(({ index, first }) => ({
      path: [index, "topic"],
      ...message("mistake.same_plug", { first }),
    })),
  ]),
);

/** Returns a text that identifies the switched device; undefined for a custom plug, whose device is not known. */
export function deviceOf({
  family,
  topic,
  entity,
  url,
  channel,
}: Pick<Plug, "family" | "topic" | "entity" | "url" | "channel">): string | undefined {
  const where = url ?? entity ?? topic;
  if (family === "custom" || where === undefined) return undefined;
  const { optionalStart, channel: output }: PlugFamilyRow = plugFamilies[family];
  const short = optionalStart && where.startsWith(optionalStart) ? where.slice(optionalStart.length) : where;
  return `${family} ${short} ${channel ?? output.ordinary}`;
}

/**
 * Returns the state of a plug while nothing is known: its own `when_lost`, otherwise `on` or `keep` of one of its
 * plans.
 */
export function whenLostOfPlug(plug: Plug, plans: readonly PlanEntry[]): WhenLost {
  const ids = plans.map(entryId);
  const said = plansOf(plug).flatMap((id) => plans[ids.indexOf(id)] ?? []);
  const wanted = said.map((plan) => whenLostOf({ ...plan, ...planTextsOf(plan) }));
  return plug.when_lost ?? (["on", "keep"] as const).find((each) => wanted.includes(each)) ?? "off";
}

/** Returns the address of a plug for its family. `caller` is the topic by which the plug knows elbro. */
export function plugAddressOf(plug: Plug, caller: string): PlugAddress {
  const { family, topic, entity, channel, on, off, values, power, energy } = plug;
  return {
    topic: topic ?? entity ?? "",
    channel: String(channel ?? plugFamilies[family].channel.ordinary ?? ""),
    caller,
    custom: on && off ? { ...plug, on, off } : undefined,
    values,
    meters: { power: power?.entity, energy: energy?.entity },
  };
}
