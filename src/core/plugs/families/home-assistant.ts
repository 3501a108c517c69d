/**
 * Entities of Home Assistant that elbro switches by actions. A message to such a plug is the action, such as
 * `homeassistant/turn_on`, with its data. A message of it is its state with the attributes in READ_ATTRIBUTES.
 *
 * Source: Home Assistant 2026.11, components homeassistant, climate, water_heater, fan, number, select: services.yaml.
 */

import { message } from "../../language/text.ts";
import type { WhenLost } from "../../planning/model/plan-spec.ts";
import { objectIn } from "../../text/foreign-text.ts";
import { SECOND_MS } from "../../time/interval.ts";
import { MAX_DEAD_MAN_MS } from "../plug-types.ts";
import { dividedBy, type MeterReader, measuredOf } from "./meter-readers.ts";
import type { PlugAddress, PlugFamilyRow, PlugMessage } from "./plug-family.ts";

/** Action that gives an entity a value, and where its state shows the value. */
interface ValueAction {
  readonly action: string;
  readonly field: string;
  /** Attribute with the value; absent if the state is the value. */
  readonly attribute?: string;
  /** True if the entity can only have values, and cannot be switched on and off. */
  readonly isRequired?: true;
}

const preset = { action: "set_preset_mode", field: "preset_mode", attribute: "preset_mode" } as const;
const number = { action: "set_value", field: "value", isRequired: true } as const;
const option = { action: "select_option", field: "option", isRequired: true } as const;

/** Domains of entities that a plug may switch; null for those without values. */
const switchedDomains = {
  switch: null,
  input_boolean: null,
  light: null,
  humidifier: null,
  fan: preset,
  climate: preset,
  water_heater: { action: "set_operation_mode", field: "operation_mode" },
  number,
  input_number: number,
  select: option,
  input_select: option,
} as const satisfies Readonly<Record<string, ValueAction | null>>;

/** Attributes that the readers need. */
export const READ_ATTRIBUTES = ["preset_mode", "unit_of_measurement"] as const;

const TIMER_SEC = MAX_DEAD_MAN_MS / SECOND_MS;
/** The automation of `timerAutomation` waits for a fixed time. */
const TIMER = { leastSec: TIMER_SEC, mostSec: TIMER_SEC };
/** Units of sensors, in kWh and in W: how many of them are one. */
const PER_KWH: Readonly<Record<string, number>> = { Wh: 1_000, kWh: 1, MWh: 0.001 };
const PER_WATT: Readonly<Record<string, number>> = { W: 1, kW: 0.001 };

export type MeterKind = "power" | "energy";

/** Returns what a sensor with a unit measures; null for any other entity. */
export function meterOf(
  entity: string,
  { unit_of_measurement: unit }: Readonly<Record<string, unknown>>,
): MeterKind | null {
  if (!entity.startsWith("sensor.") || typeof unit !== "string") return null;
  if (Object.hasOwn(PER_WATT, unit)) return "power";
  return Object.hasOwn(PER_KWH, unit) ? "energy" : null;
}

/** Its automation is the owner's, so elbro observes the timer once. A state is reported only when it changes. */
export const homeAssistantPlug = {
  address: "entity",
  topic: message("mistake.homeassistant_entity"),
  channel: { about: message("mistake.no_channel"), fits: /^$/, ordinary: "" },
  deadManNote: {
    on: "with the automation that `elbro check` prints: elbro checks it at the end of the first run",
    off: "with the automation that `elbro check` prints",
  },
  deadMan: () => ({ on: TIMER, off: TIMER }),
  isTimerUnsure: true,
  answers: () => "changes",
  turn: (address, on) => [action(address, on)],
  ask: ({ topic }) => [{ topic: "homeassistant/update_entity", payload: JSON.stringify({ entity_id: topic }) }],
  listens: (address) => ({ [address.topic]: (payload) => stateIn(payload, address) }),
  measures: ({ meters }) => {
    const power: MeterReader = (payload) => measuredOf(valueIn(payload, PER_WATT), null);
    const energy: MeterReader = (payload) => measuredOf(null, valueIn(payload, PER_KWH));
    return {
      ...(meters?.power === undefined ? {} : { [meters.power]: power }),
      ...(meters?.energy === undefined ? {} : { [meters.energy]: energy }),
    };
  },
} as const satisfies PlugFamilyRow;

/** Returns how an entity is given a value; null if it can only be switched, undefined if it cannot be a plug. */
export function valueActionOf(entity: string): ValueAction | null | undefined {
  const [domain = ""] = entity.split(".");
  return Object.hasOwn(switchedDomains, domain) ? switchedDomains[domain as keyof typeof switchedDomains] : undefined;
}

/**
 * Returns the automation that returns an entity to its resting state when elbro has stopped, as YAML to paste; null
 * without a resting state. elbro switches by `homeassistant.turn_on`, which no button of Home Assistant uses, so that
 * a manual ON has no timer.
 */
export function timerAutomation(address: PlugAddress, whenLost: WhenLost, isInverted: boolean): string | null {
  if (whenLost === "keep") return null;
  const relayRests = (whenLost === "on") !== isInverted;
  const { topic: entity } = address;
  const [rest, away] = [action(address, relayRests), action(address, !relayRests)];
  const called = (id: string, { topic, payload }: PlugMessage) => {
    const [domain, service] = topic.split("/");
    const data = { domain, service, service_data: JSON.parse(payload) as object };
    return `  - { id: ${id}, trigger: event, event_type: call_service, event_data: ${JSON.stringify(data)} }`;
  };
  const delay = `00:${String(Math.floor(TIMER_SEC / 60)).padStart(2, "0")}:${String(TIMER_SEC % 60).padStart(2, "0")}`;
  return [
    `alias: "elbro: ${entity} without elbro"`,
    "mode: restart",
    "triggers:",
    called("away", away),
    called("rest", rest),
    "  - { id: away, trigger: homeassistant, event: start }",
    "actions:",
    "  - { condition: trigger, id: away }",
    `  - { delay: "${delay}" }`,
    `  - { action: ${rest.topic.replace("/", ".")}, data: ${rest.payload} }`,
  ].join("\n");
}

function action({ topic: entity, values }: PlugAddress, on: boolean): PlugMessage {
  const action = values && valueActionOf(entity);
  if (!action)
    return { topic: `homeassistant/turn_${on ? "on" : "off"}`, payload: JSON.stringify({ entity_id: entity }) };
  const [domain] = entity.split(".");
  const data = { entity_id: entity, [action.field]: on ? values.on : values.off };
  return { topic: `${domain}/${action.action}`, payload: JSON.stringify(data) };
}

/** An entity with values is ON while it has that of ON: its owner may choose a third one. */
function stateIn(payload: string, { topic: entity, values }: PlugAddress): { kind: "reported"; on: boolean } | null {
  const read = objectIn(payload);
  const action = values && valueActionOf(entity);
  const found = action?.attribute === undefined ? read?.state : read?.[action.attribute];
  if ((typeof found !== "string" && typeof found !== "number") || found === "unknown") return null;
  if (!values) return { kind: "reported", on: found !== "off" };
  const isOn = typeof values.on === "number" ? Number(found) === values.on : found === values.on;
  return { kind: "reported", on: isOn };
}

/** Returns the number of a sensor in our unit; null for a sensor with another unit. */
function valueIn(payload: string, units: Readonly<Record<string, number>>): number | null {
  const read = objectIn(payload);
  const unit = read?.unit_of_measurement;
  const divisor = typeof unit === "string" && Object.hasOwn(units, unit) ? units[unit] : undefined;
  return divisor === undefined ? null : dividedBy(read?.state, divisor);
}
