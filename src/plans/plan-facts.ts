/** What decisions depend on besides the plans: prices, machines, batteries and holidays. */

import type { Language } from "../core/language/language.ts";
import { type Charge, readCharge } from "../core/planning/charge.ts";
import { type DecisionContext, isExport, type PlanPrices } from "../core/planning/circle-decision.ts";
import type { PlanSlot } from "../core/planning/plan-dependencies.ts";
import type { PlanMachine } from "../core/planning/plan-input.ts";
import type { LevelThresholds } from "../core/prices/level.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { type EpochMs, MINUTE_MS, QUARTER_MS } from "../core/time/interval.ts";
import type { Holidays } from "./holidays.ts";
import type { PricedHomes } from "./priced-homes.ts";

/** Delay of fallback hours after the daemon's start, because missing prices may still arrive. */
const GRACE_MS = 10 * MINUTE_MS;

export interface PlanFactsDeps {
  readonly homes: Pick<PricedHomes, "ids" | "named" | "known" | "timeline" | "exportTimeline">;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  readonly startedAt: EpochMs;
  /** Language of the reasons. */
  readonly language: Language;
}

export class PlanFacts {
  readonly #deps: PlanFactsDeps;
  /** Machines that plugs watch, keyed by plan. Bounded by the plugs. */
  readonly #machines = new Map<string, PlanMachine>();
  /** Charges of batteries, keyed by topic. Bounded by the plans. */
  readonly #charges = new Map<string, Charge>();
  readonly #holidays: Pick<Holidays, "of">;

  constructor(deps: PlanFactsDeps, holidays: Pick<Holidays, "of">) {
    this.#deps = deps;
    this.#holidays = holidays;
  }

  contextAt(now: EpochMs): DecisionContext {
    const { calendar, thresholds, isTimeTrusted, startedAt, language } = this.#deps;
    return {
      now,
      calendar,
      trusted: isTimeTrusted(now),
      graceUntil: startedAt + GRACE_MS,
      language,
      ...(thresholds ? { thresholds } : {}),
      pricesOf: (plan) => this.#pricesOf(plan, now),
      machineOf: (plan) => this.#machines.get(plan),
      awayOf: (home) => this.#holidays.of(home),
    };
  }

  #pricesOf({ definition, spec }: Pick<PlanSlot, "definition" | "spec">, now: EpochMs): PlanPrices {
    const { homes } = this.#deps;
    const home = homes.named(definition.home);
    const bought = home && homes.timeline(home, now);
    if (!home || !isExport(spec)) return { isHomeKnown: home !== null, timeline: bought, lacksExport: false };
    const sold = homes.exportTimeline(home, now);
    // A home with import prices and without export prices will not get export prices later.
    return { isHomeKnown: true, timeline: sold, lacksExport: sold === null && bought !== null };
  }

  /** Takes what a plug knows of the machine of a plan; undefined if it watches none. Returns whether that is new. */
  machineIs(plan: string, machine: PlanMachine | undefined): boolean {
    if (this.#machines.get(plan) === machine) return false;
    if (machine === undefined) this.#machines.delete(plan);
    else this.#machines.set(plan, machine);
    return true;
  }

  /** Takes the charge of a battery from its topic. Returns whether it is new; null if the payload is not a percentage. */
  chargeIs(topic: string, payload: string, now: EpochMs): boolean | null {
    const percent = readCharge(payload);
    if (percent === null) return null;
    const before = this.#charges.get(topic);
    if (before?.percent === percent && now - before.at < QUARTER_MS) return false;
    this.#charges.set(topic, { percent, at: now });
    return true;
  }

  chargeOf(topic: string | undefined): Charge | null {
    return this.#charges.get(topic ?? "") ?? null;
  }
}
