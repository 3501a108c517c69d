/** What decisions depend on besides the plans: prices, machines, batteries and holidays. */

import * as z from "zod/mini";
import type { Language } from "../core/language/language.ts";
import { CHARGE_AGE_MS, type Charge, readCharge } from "../core/planning/charge.ts";
import { type DecisionContext, isExport, type PlanPrices } from "../core/planning/group/circle-decision.ts";
import type { PlanSlot } from "../core/planning/group/plan-dependencies.ts";
import type { PlanMachine } from "../core/planning/plan-input.ts";
import { type UsualSurplus, usualSurplus } from "../core/planning/sun.ts";
import type { LevelThresholds } from "../core/prices/level.ts";
import { readingAt } from "../core/reading.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import { reportBroken } from "../core/status/kept-promise.ts";
import type { Problems } from "../core/status/problem.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, QUARTER_MS, stepEnd } from "../core/time/interval.ts";
import type { Holidays } from "./holidays.ts";
import type { PlanResults } from "./plan-results.ts";
import type { PricedHome, PricedHomes } from "./priced-homes.ts";

/** Delay of fallback hours after the daemon's start, because missing prices may still arrive. */
export const GRACE_MS = 10 * MINUTE_MS;

export interface PlanFactsDeps {
  readonly homes: Pick<
    PricedHomes,
    "ids" | "named" | "stateOf" | "known" | "timeline" | "exportTimeline" | "meteredHours"
  >;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  readonly startedAt: EpochMs;
  /** Stores the last charge of each battery. */
  readonly memory: KeyValue;
  /** Language of the reasons. */
  readonly language: Language;
  readonly problems: Pick<Problems, "start" | "end">;
}

/** Message of a battery. `retained`: the broker had stored it before. */
export interface ChargeMessage {
  readonly topic: string;
  readonly payload: string;
  readonly retained: boolean;
}

/** Days from which the usual surplus of a home is known, and the least known part of them. */
const SURPLUS_DAYS = 21;
const MIN_KNOWN_MS = 7 * DAY_MS;
/** Most runs of each plan that are read for it: one in each hour of three weeks. */
const MAX_RUNS = 512;

const keptCharge = z.object({ kind: z.literal("known"), value: z.number(), at: z.number() });

export class PlanFacts {
  readonly #deps: PlanFactsDeps;
  /** Machines that plugs watch, keyed by plan. Bounded by the plugs. */
  readonly #machines = new Map<string, PlanMachine>();
  /** Charges of batteries, keyed by topic. Bounded by the plans. */
  readonly #charges = new Map<string, Charge>();
  readonly #holidays: Pick<Holidays, "of">;
  readonly #results: Pick<PlanResults, "runs">;
  /** By home, for the current hour. */
  readonly #surplus = new Map<string, { readonly surplus: UsualSurplus | null; readonly until: EpochMs }>();

  constructor(deps: PlanFactsDeps, holidays: Pick<Holidays, "of">, results: Pick<PlanResults, "runs">) {
    this.#deps = deps;
    this.#holidays = holidays;
    this.#results = results;
  }

  contextAt(now: EpochMs): DecisionContext {
    const { calendar, thresholds, isTimeTrusted, startedAt, language, problems } = this.#deps;
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
      onBroken: (plan, error) => reportBroken(problems, `plan ${plan}`, error, now),
    };
  }

  #pricesOf({ definition, spec }: Pick<PlanSlot, "definition" | "spec">, now: EpochMs): PlanPrices {
    const { homes } = this.#deps;
    const home = homes.named(definition.home);
    const bought = home && homes.timeline(home, now);
    const given = { home: homes.stateOf(definition.home), timeline: bought, lacksExport: false };
    if (!home || (!isExport(spec) && !spec.sun)) return given;
    const sold = homes.exportTimeline(home, now);
    if (spec.sun) {
      const surplus = this.#surplusOf(home, now);
      return { ...given, sun: sold && surplus ? { surplus, exported: sold } : null };
    }
    // A home with import prices and without export prices will not get export prices later.
    return { ...given, timeline: sold, lacksExport: sold === null && bought !== null };
  }

  /** Returns what the roof of a home usually has left, without what its plans used; null before a week is known. */
  #surplusOf(home: PricedHome, now: EpochMs): UsualSurplus | null {
    const { homes, calendar } = this.#deps;
    const known = this.#surplus.get(home.id);
    if (known && now < known.until) return known.surplus;
    const today = calendar.startOf("day", now);
    const range = { start: calendar.add("day", today, -SURPLUS_DAYS), end: today };
    const hours = homes.meteredHours(home, range);
    const which = { home: home.id, plan: null };
    const runs = this.#results.runs(which, range, MAX_RUNS).map(({ run: { start, end, kwh, measured } }) => {
      return { start, end, kw: ((measured?.kwh ?? kwh ?? 0) * HOUR_MS) / (end - start) };
    });
    const surplus = hours.length * HOUR_MS < MIN_KNOWN_MS ? null : usualSurplus(hours, runs, calendar);
    this.#surplus.set(home.id, { surplus, until: stepEnd(now, HOUR_MS) });
    return surplus;
  }

  /** Takes what a plug knows of the machine of a plan; undefined if it watches none. Returns whether that is new. */
  machineIs(plan: string, machine: PlanMachine | undefined): boolean {
    if (this.#machines.get(plan) === machine) return false;
    if (machine === undefined) this.#machines.delete(plan);
    else this.#machines.set(plan, machine);
    return true;
  }

  /** Takes the charge of a battery. Returns whether it is new. A retained one may be days old. */
  chargeIs({ topic, payload, retained }: ChargeMessage, now: EpochMs): boolean {
    const before = this.#lastCharge(topic);
    const charge = readCharge(payload, now);
    const isSame = charge.kind === "known" && before.kind === "known" && charge.value === before.value;
    if (isSame && (retained || now - before.at < QUARTER_MS)) return false;
    this.#charges.set(topic, charge);
    if (charge.kind === "known") this.#deps.memory.write(memoryName(topic), JSON.stringify(charge));
    return true;
  }

  chargeOf(topic: string, now: EpochMs): Charge {
    return readingAt(this.#lastCharge(topic), CHARGE_AGE_MS, now);
  }

  /** Returns the last reading, also of the previous process. */
  #lastCharge(topic: string): Charge {
    const known = this.#charges.get(topic) ?? readJson(this.#deps.memory, memoryName(topic), keptCharge);
    const charge = known ?? { kind: "unknown", why: "never" };
    this.#charges.set(topic, charge);
    return charge;
  }
}

function memoryName(topic: string): string {
  return `charge/${topic}`;
}
