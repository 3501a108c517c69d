/** Meter of one plug: adds up what it measures by quarter-hour, and stores each quarter-hour when it is over. */
import * as z from "zod/mini";
import type { PlugConfig } from "../config/schema/plug-schema.ts";
import {
  type Measured,
  type MeterState,
  type MeterStep,
  metered,
  meterSwitched,
  UNMEASURED,
} from "../core/plugs/meter.ts";
import type { PlugMeasurements, PlugMonth } from "../core/plugs/plug-snapshot.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import { type EpochMs, QUARTER_MS, SECOND_MS, stepStart } from "../core/time/interval.ts";
import type { PlugEnergy } from "./plug-energy.ts";

export type PlugMeterDeps = { readonly energy: PlugEnergy; readonly memory: KeyValue };

const keptCounter = z.object({ counterKwh: z.number(), until: z.number() });
/** Interval at which the shown power changes, because some plugs report theirs every second. */
const SHOWN_EVERY_MS = 30 * SECOND_MS;
/** Maximum number of quarter-hours that wait to be stored: a counter may cover a week after a gap. */
const MAX_PENDING = 700;

export class PlugMeter {
  readonly #id: string;
  readonly #config: PlugConfig;
  readonly #deps: PlugMeterDeps;
  #state: MeterState;
  /** Measured quarter-hours that are not stored yet, by start. Bounded by MAX_PENDING. */
  readonly #pending = new Map<EpochMs, { readonly kwh: number; readonly measuredMs: number }>();
  /** Whether the plug has a meter. A plug without one has no energy, not 0 kWh. */
  #measures: boolean;
  #months: readonly [PlugMonth, PlugMonth] | null = null;
  /** The quarter-hour in which `#months` were read. */
  #monthsAt: EpochMs = Number.NaN;
  #shown: { readonly watts: number | null; readonly at: EpochMs } = { watts: null, at: Number.NEGATIVE_INFINITY };

  constructor(id: string, config: PlugConfig, deps: PlugMeterDeps) {
    this.#id = id;
    this.#config = config;
    this.#deps = deps;
    this.#state = { ...UNMEASURED, ...readJson(deps.memory, this.#memoryName, keptCounter) };
    this.#measures = this.#state.counterKwh !== null;
  }

  get #memoryName(): string {
    return `plug/${this.#id}/meter`;
  }

  /** Power that was measured last; null before. Unit: W. */
  get watts(): number | null {
    return this.#state.watts;
  }

  /** Takes a reading. Returns the reading of its counter that turns out to be wrong; null without one. */
  take(measured: Measured, now: EpochMs): number | null {
    this.#measures = true;
    const step = metered(this.#state, measured, now);
    this.#add(step);
    return step.refusedKwh ?? null;
  }

  isOn(on: boolean, now: EpochMs): void {
    this.#add(meterSwitched(this.#state, on, now));
  }

  #add({ state, used }: MeterStep): void {
    this.#state = state;
    for (const { start, end, kwh } of used) {
      const quarter = stepStart(start, QUARTER_MS);
      const known = this.#pending.get(quarter) ?? { kwh: 0, measuredMs: 0 };
      this.#pending.set(quarter, { kwh: known.kwh + kwh, measuredMs: known.measuredMs + end - start });
      if (this.#pending.size > MAX_PENDING) this.#pending.delete(this.#pending.keys().next().value ?? quarter);
    }
  }

  /** Stores the quarter-hours that are over. Returns when the next one is, or another power is shown. */
  tick(now: EpochMs, shownEveryMs: number = SHOWN_EVERY_MS): EpochMs {
    const quarter = stepStart(now, QUARTER_MS);
    this.#store((start) => start < quarter);
    if (this.#monthsAt !== quarter && this.#measures) {
      this.#months = this.#deps.energy.months(this.#config, now);
      this.#monthsAt = quarter;
    }
    const { watts } = this.#state;
    if (now - this.#shown.at >= shownEveryMs || now < this.#shown.at) this.#shown = { watts, at: now };
    const isShown = watts === this.#shown.watts;
    return Math.min(
      this.#pending.size > 0 ? quarter + QUARTER_MS : Number.POSITIVE_INFINITY,
      isShown ? Number.POSITIVE_INFINITY : this.#shown.at + shownEveryMs,
    );
  }

  /** Stores all that was measured, before the daemon ends or the plug is removed. */
  close(): void {
    this.#store(() => true);
  }

  #store(isOver: (start: EpochMs) => boolean): void {
    const { energy, memory } = this.#deps;
    const over = [...this.#pending].filter(([start]) => isOver(start));
    if (over.length === 0) return;
    const quarters = over.map(([start, { kwh, measuredMs }]) => {
      const price = energy.priceAt(this.#config, start);
      return { plug: this.#id, start, kwh, measuredMs, cost: price === null ? null : price * kwh };
    });
    const { counterKwh, until } = this.#state;
    if (counterKwh !== null && until !== null) memory.write(this.#memoryName, JSON.stringify({ counterKwh, until }));
    energy.add(quarters);
    for (const [start] of over) this.#pending.delete(start);
    this.#monthsAt = Number.NaN;
  }

  /** Returns what the plug measures; null if it has measured nothing yet. */
  shown(): PlugMeasurements | null {
    if (this.#months === null) return null;
    const [month, monthBefore] = this.#months;
    return { watts: this.#shown.watts === null ? null : Math.round(this.#shown.watts), month, monthBefore };
  }
}
