/** Schema of the list of plugs: access to each plug, and the plan or signal that it follows. */
import * as z from "zod/mini";
import { type Fact, type Message, message } from "../core/language/text.ts";
import { readDuration } from "../core/planning/model/plan-definition.ts";
import { type WhenLost, whenLostOf, whenLostValues } from "../core/planning/model/plan-spec.ts";
import { MAX_POWER_KW } from "../core/planning/plan-limits.ts";
import { expressionIn } from "../core/plugs/families/custom.ts";
import { type PlugFamily, plugFamilies } from "../core/plugs/families/families.ts";
import { valueActionOf } from "../core/plugs/families/home-assistant.ts";
import { energyUnits, powerUnits } from "../core/plugs/families/meter-readers.ts";
import type { PlugAddress, PlugFamilyRow } from "../core/plugs/families/plug-family.ts";
import { isMqttTopic } from "../core/text/mqtt-text.ts";
import type { Condition } from "./conditions.ts";
import { entryId } from "./entry-list.ts";
import { key } from "./key-description.ts";
import { type PlanEntry, planIds } from "./plan-schema.ts";
import { quoted } from "./suggest-key.ts";
import {
  type Expected,
  lines,
  missing,
  missingWith,
  mistakes,
  passes,
  repeated,
  slug,
  slugs,
  text,
  topic,
} from "./values.ts";

const families = Object.keys(plugFamilies) as [PlugFamily, ...PlugFamily[]];
/** SHA-256 in the form of browsers and openssl. */
const FINGERPRINT = /^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){31}$/;
const minutes = z._default(z.number().check(z.minimum(0), z.maximum(24 * 60)), 0);
const said = z.optional(z.strictObject({ topic, payload: z.string() }));

/** A payload to compare with, or a regular expression between slashes. */
const pattern = text.check(passes((value) => isSound(expressionIn(value)), "mistake.expected_pattern"));

const watts = z.number().check(z.gt(0), z.maximum(MAX_POWER_KW * 1_000));
const durationText = text.check(passes((value) => (readDuration(value) ?? 0) > 0, "mistake.expected_duration"));
const entity = text.check(z.regex(/^[a-z_]+\.[a-z0-9_]+$/, "mistake.expected_entity" satisfies Expected));
const measuredAt = { topic: z.optional(topic), entity: z.optional(entity), key: z.optional(text) };
const entityValue = z.union([z.number(), text]);

export const plugSchema = z
  .strictObject({
    id: key(z.optional(slug), "Name in MQTT topics, if not made from the name."),
    name: key(text, "Name of the plug."),
    family: key(z.enum(families), "Firmware or protocol of the plug."),
    topic: key(z.optional(topic), "MQTT topic of the plug, in the form that its family needs (docs/plugs.md)."),
    entity: key(z.optional(entity), "For homeassistant: the entity to switch.", { form: "switch.washer" }),
    values: key(
      z.optional(z.strictObject({ on: entityValue, off: entityValue })),
      "For homeassistant: the presets, options or numbers that mean ON and OFF.",
      { form: "{ on: comfort, off: eco }" },
    ),
    url: key(
      z.optional(text.check(z.regex(/^https?:\/\/[\w.:[\]-]+\/?$/, "mistake.expected_plug_url" satisfies Expected))),
      "Address of the plug if it is switched over HTTP instead of MQTT: tasmota and shelly only.",
      { form: "http://host" },
    ),
    username: key(z.optional(text), "User name of the device's HTTP interface; admin by default.", { form: "text" }),
    password: key(z.optional(text), "Password of the device's HTTP interface, if it has one."),
    certificate: key(
      z.optional(text.check(z.regex(FINGERPRINT, "mistake.expected_fingerprint" satisfies Expected))),
      "SHA-256 fingerprint of the device's certificate. By default, elbro accepts the certificate of the first connection, and no other afterwards.",
      { form: "fingerprint" },
    ),
    channel: key(z.optional(z.union([z.int(), lines])), "Output, for devices with several.", {
      form: "number or text",
    }),
    plan: key(
      z.optional(z.union([slugs, z.array(slug).check(z.minLength(1, "mistake.expected_plans" satisfies Expected))])),
      "Id of the plan that the plug follows, or a list: ON if at least one of them is ON.",
      { form: "id, or list of ids" },
    ),
    home: key(z.optional(slug), "Id of the home or third-party place whose signal the plug follows."),
    signal: key(z.optional(z.enum(["cheap"])), "With home: the signal that the plug follows."),
    signal_topic: key(z.optional(topic), "Your own MQTT topic with ON or OFF, which the plug follows."),
    starts_when: key(
      z.optional(z.strictObject({ above_w: watts })),
      "With plan: the plug is ON between runs. A machine that is started manually, so that it draws more than above_w, is stopped and run at the cheapest time.",
      { form: "{ above_w: 5 }" },
    ),
    ends_when: key(
      z.optional(z.strictObject({ below_w: watts, for: z._default(durationText, "5m") })),
      "With plan: a run is over when the machine draws less than below_w for this time.",
      { form: "{ below_w: 5, for: 5m }" },
    ),
    override: key(
      z._default(z.enum(["respect", "enforce"]), "respect"),
      "After manual switching: respect it until the next planned change, or enforce the plan.",
    ),
    when_lost: key(
      z.optional(z.enum(whenLostValues)),
      "State while its signal is unknown and after elbro has failed: on, off or keep. Default: that of its plan, otherwise off.",
    ),
    inverted: key(z._default(z.boolean(), false), "True if the appliance is on while the relay is off (SG-Ready)."),
    min_on: key(minutes, "Minimum time on.", { form: "minutes" }),
    min_off: key(minutes, "Minimum time off.", { form: "minutes" }),
    power: key(
      z.optional(z.strictObject({ ...measuredAt, unit: z.optional(z.enum(powerUnits)) })),
      "Your own topic with the power of the appliance, if its family does not report it; with key, the number is in JSON: ENERGY.Power. For homeassistant: the sensor, as entity.",
    ),
    energy: key(
      z.optional(z.strictObject({ ...measuredAt, unit: z.optional(z.enum(energyUnits)) })),
      "Your own topic, or for homeassistant the sensor, with a counter of the appliance's energy.",
    ),
    on: key(said, "For custom: the message that switches it on."),
    off: key(said, "For custom: the message that switches it off."),
    dead_man: key(said, "For custom: the message that starts its own switch-off timer; {seconds} is the time."),
    ask: key(said, "For custom: the message that requests its state."),
    state: key(
      z.optional(z.strictObject({ topic, on: pattern, off: pattern })),
      "For custom: the topic with its state.",
    ),
    availability: key(
      z.optional(z.strictObject({ topic, online: pattern, offline: pattern })),
      "For custom: the topic that shows whether it is online.",
    ),
  })
  .check(mistakes((value) => [...mistakesIn(value)].map(([key, said]) => ({ path: [key], ...said }))));

type Plug = z.infer<typeof plugSchema>;
export type PlugConfig = Plug;
type KeyMistake = readonly [key: keyof Plug & string, said: Message];

const CUSTOM_KEYS = ["on", "off", "dead_man", "ask", "state", "availability"] as const;

/** Some of the checks below, as conditions for the JSON Schema. */
export const plugConditions: readonly Condition[] = [
  {
    key: "family",
    values: families.filter((family) => family !== "custom"),
    without: CUSTOM_KEYS,
    oneOf: ["topic", "entity", "url", "topic_file", "entity_file", "url_file"],
  },
  {
    key: "family",
    values: families.filter((family) => !("http" in plugFamilies[family])),
    without: ["url", "username", "password", "certificate"],
    oneOf: [],
  },
  {
    key: "family",
    values: families.filter((family) => family !== "homeassistant"),
    without: ["entity", "values"],
    oneOf: [],
  },
  { key: "family", values: ["homeassistant"], without: ["topic"], oneOf: [] },
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
  return `${family} ${where} ${channel ?? plugFamilies[family].channel.ordinary}`;
}

/**
 * Returns the state of a plug while nothing is known: its own `when_lost`, otherwise `on` or `keep` of one of its
 * plans.
 */
export function whenLostOfPlug(plug: Plug, plans: readonly PlanEntry[]): WhenLost {
  const ids = planIds(plans);
  const said = plansOf(plug).flatMap((id) => plans[ids.indexOf(id)] ?? []);
  const wanted = said.map((plan) => whenLostOf({ kind: plan.kind, whenLost: plan.when_lost }));
  return plug.when_lost ?? (["on", "keep"] as const).find((each) => wanted.includes(each)) ?? "off";
}

/** Returns the address of a plug for its family. `caller` is the topic by which the plug knows elbro. */
export function addressOf(plug: Plug, caller: string): PlugAddress {
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

function isSound(expression: string | null): boolean {
  if (expression === null) return true;
  try {
    return new RegExp(expression, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
