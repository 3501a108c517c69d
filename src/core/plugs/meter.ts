/**
 * Energy of an appliance, from what its plug measures. Pure: readings and time are arguments.
 *
 * - A counter of energy counts if the plug has one, otherwise the power, which holds until the next reading.
 * - The energy between two readings of a counter was used while the plug was ON; if it was OFF throughout, evenly.
 * - A counter that drops, or jumps as no household appliance can cause, is doubted. It counts after a second reading
 *   that continues it: a counter that grows from there. A reading that continues the earlier one refuses the doubted.
 * - A confirmed counter that is much lower than before was reset, and has counted from 0 since. One that is a little
 *   lower was restored by its device after a power cut; the difference is not counted twice.
 */
import { clipped, type EpochMs, HOUR_MS, type Interval, lengthOf, QUARTER_MS, stepEnd } from "../time/interval.ts";

/** What a plug says about its appliance. */
export interface Measured {
  readonly watts?: number;
  /** Counter of the energy. Unit: kWh. */
  readonly counterKwh?: number;
}

/** Energy in a time with a constant power. */
export interface UsedEnergy extends Interval {
  readonly kwh: number;
}

/** What is known of an appliance between two readings. */
export interface MeterState {
  readonly watts: number | null;
  readonly counterKwh: number | null;
  /** Until when the energy is known; null before the first reading. */
  readonly until: EpochMs | null;
  readonly onSince: EpochMs | null;
  /** Times ON since `until`, without the current one. Bounded by MAX_TIMES. */
  readonly onTimes: readonly Interval[];
  /** A reading of the counter that contradicts the last one; null without one. It counts if the next one agrees. */
  readonly doubted: { readonly counterKwh: number; readonly at: EpochMs } | null;
}

/** State of a plug that has measured nothing yet. */
export const UNMEASURED: MeterState = {
  ...{ watts: null, counterKwh: null, until: null, onSince: null, onTimes: [] },
  doubted: null,
};

/** State after an event, and the energy that has become known. */
export interface MeterStep {
  readonly state: MeterState;
  /** Shape: ascending, not longer than a quarter-hour each. */
  readonly used: readonly UsedEnergy[];
  /** A reading that is not counted, because the next one contradicts it too. Unit: kWh. */
  readonly refusedKwh?: number;
}

/** More than any appliance of a household draws: a charger takes 22 kW. */
const MAX_KW = 50;
/** Energy that a counter may add at once: the resolution of coarse ones. Unit: kWh. */
const COUNTER_STEP_KWH = 0.1;
/** A confirmed counter below this part of its last value was reset. */
const RESET_PART = 0.5;
/** Power holds this long without another reading. Zigbee plugs report an unchanged power at least once an hour. */
const MAX_HOLD_MS = HOUR_MS;
/** Longest time over which a counter's energy is spread. Longer gaps are not counted. */
const MAX_GAP_MS = 7 * 24 * HOUR_MS;
const MAX_TIMES = 32;

/** Takes a reading. */
export function metered(state: MeterState, { watts, counterKwh }: Measured, now: EpochMs): MeterStep {
  const hasCounter = counterKwh !== undefined && Number.isFinite(counterKwh) && counterKwh >= 0;
  const hasPower = watts !== undefined && Number.isFinite(watts) && Math.abs(watts) <= MAX_KW * 1_000;
  const next = hasPower ? { ...state, watts: Math.max(0, watts) } : state;
  if (hasCounter) return counted(next, counterKwh, now);
  if (!hasPower) return { state, used: [] };
  // The first reading of a counter follows within minutes; until then its power counts.
  if (state.counterKwh !== null) return { state: next, used: [] };
  const held = heldPower(state, now);
  return { state: { ...held.state, watts: next.watts }, used: held.used };
}

/** Takes a change of the plug's state. A plug that is OFF draws nothing. */
export function meterSwitched(state: MeterState, on: boolean, now: EpochMs): MeterStep {
  if (on === (state.onSince !== null)) return { state, used: [] };
  if (on) return { state: { ...state, onSince: now }, used: [] };
  const held = state.counterKwh === null ? heldPower(state, now) : { state, used: [] };
  const onTimes = [...held.state.onTimes, { start: state.onSince ?? now, end: now }].slice(-MAX_TIMES);
  const watts = state.watts === null ? null : 0;
  return { state: { ...held.state, watts, onSince: null, onTimes }, used: held.used };
}

function heldPower(state: MeterState, now: EpochMs): MeterStep {
  const { watts, until } = state;
  const held = { ...state, until: now, onTimes: [] };
  if (watts === null || until === null || now <= until) return { state: held, used: [] };
  const end = Math.min(now, until + MAX_HOLD_MS);
  return { state: held, used: spread([{ start: until, end }], (watts / 1_000) * ((end - until) / HOUR_MS)) };
}

function counted(state: MeterState, counterKwh: number, now: EpochMs): MeterStep {
  const { counterKwh: before, until, doubted } = state;
  const next = { ...state, counterKwh, until: now, onTimes: [], doubted: null };
  if (before === null || until === null || now - until > MAX_GAP_MS) return { state: next, used: [] };
  if (now <= until) return { state: { ...state, until: now }, used: [] };
  const refused = doubted && doubted.counterKwh !== counterKwh ? { refusedKwh: doubted.counterKwh } : {};
  const usedOf = (kwh: number) => {
    const times = onTimesIn(state, until, now);
    return spread(times.length > 0 && kwh > 0 ? times : [{ start: until, end: now }], kwh);
  };
  if (continues(counterKwh, { counterKwh: before, at: until }, now))
    return { state: next, used: usedOf(counterKwh - before), ...refused };
  // A counter that stays at a wrong value does not grow.
  if (doubted && counterKwh > doubted.counterKwh && continues(counterKwh, doubted, now)) {
    const from = doubted.counterKwh < before * RESET_PART ? 0 : doubted.counterKwh;
    return { state: next, used: usedOf(counterKwh - from) };
  }
  const isSame = doubted?.counterKwh === counterKwh;
  return { state: isSame ? state : { ...state, doubted: { counterKwh, at: now } }, used: [], ...refused };
}

/** Returns true if an appliance of a household can raise the counter of an earlier reading so far. */
function continues(counterKwh: number, before: NonNullable<MeterState["doubted"]>, now: EpochMs): boolean {
  const kwh = counterKwh - before.counterKwh;
  return kwh >= 0 && kwh <= COUNTER_STEP_KWH + MAX_KW * ((now - before.at) / HOUR_MS);
}

function onTimesIn({ onTimes, onSince }: MeterState, start: EpochMs, end: EpochMs): Interval[] {
  const all = onSince === null ? onTimes : [...onTimes, { start: onSince, end }];
  return all.flatMap((time) => clipped(time, { start, end }) ?? []);
}

/** Spreads an energy evenly over times, in parts that lie within a quarter-hour. */
function spread(times: readonly Interval[], kwh: number): UsedEnergy[] {
  const wholeMs = lengthOf(times);
  return times.flatMap(({ start, end }) => {
    const parts: UsedEnergy[] = [];
    for (let from = start; from < end; ) {
      const to = Math.min(end, stepEnd(from, QUARTER_MS));
      parts.push({ start: from, end: to, kwh: (kwh * (to - from)) / wholeMs });
      from = to;
    }
    return parts;
  });
}
