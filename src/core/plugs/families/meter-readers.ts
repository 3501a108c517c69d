/** Readers of what plugs measure. A value that is not a number is ignored. */
import { payloadValue } from "../../text/foreign-text.ts";
import type { Measured } from "../meter.ts";

/** Reads a payload; returns null if it contains no measurement. */
export type MeterReader = (payload: string) => Measured | null;

export const powerUnits = ["W", "kW"] as const;
export const energyUnits = ["kWh", "Wh"] as const;

/** Topics of the owner for power and energy. */
export interface MeterTopics {
  readonly power?: MeterTopic<(typeof powerUnits)[number]> | undefined;
  readonly energy?: MeterTopic<(typeof energyUnits)[number]> | undefined;
}

interface MeterTopic<Unit> {
  /** Absent for a plug without topics. */
  readonly topic?: string | undefined;
  /** Place of the number in a JSON payload, such as `ENERGY.Power`; absent if the payload is the number. */
  readonly key?: string | undefined;
  readonly unit?: Unit | undefined;
}

/** Returns a number; null for anything else, also for an empty text. */
function numberIn(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** Makes a measurement of a power in W and an energy in kWh; null without both. */
export function measuredOf(watts: unknown, kwh: unknown): Measured | null {
  const [power, energy] = [numberIn(watts), numberIn(kwh)];
  if (power === null && energy === null) return null;
  return { ...(power === null ? {} : { watts: power }), ...(energy === null ? {} : { counterKwh: energy }) };
}

/** Returns a number divided by `by`; null for anything else. */
export function dividedBy(value: unknown, by: number): number | null {
  const number = numberIn(value);
  return number === null ? null : number / by;
}

/** Returns the readers of the owner's topics. */
export function topicMeters({ power, energy }: MeterTopics): Readonly<Record<string, MeterReader>> {
  const readers = new Map<string, MeterReader>();
  const add = (topic: string, read: MeterReader) => {
    const before = readers.get(topic);
    readers.set(topic, (payload) => {
      const both = { ...before?.(payload), ...read(payload) };
      return Object.keys(both).length === 0 ? null : both;
    });
  };
  if (power?.topic !== undefined)
    add(power.topic, (payload) => measuredOf(scaled(payload, power.key, power.unit === "kW" ? 0.001 : 1), null));
  if (energy?.topic !== undefined)
    add(energy.topic, (payload) => measuredOf(null, scaled(payload, energy.key, energy.unit === "Wh" ? 1_000 : 1)));
  return Object.fromEntries(readers);
}

function scaled(payload: string, key: string | undefined, by: number): number | null {
  return dividedBy(key === undefined ? payload : payloadValue(payload, key), by);
}
