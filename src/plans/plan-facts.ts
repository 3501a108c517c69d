/** What decisions depend on besides the plans: prices, machines, batteries and holidays. */

import type { Language } from "../core/language/language.ts";
import { message, placed } from "../core/language/text.ts";
import { type Charge, readCharge } from "../core/planning/charge.ts";
import { type DecisionContext, isExport, type PlanPrices } from "../core/planning/circle-decision.ts";
import { type RefusedCommand, refusedCommand } from "../core/planning/command-refusal.ts";
import type { Away } from "../core/planning/model/plan-spec.ts";
import type { PlanSlot } from "../core/planning/plan-dependencies.ts";
import type { PlanMachine } from "../core/planning/plan-input.ts";
import { readAway } from "../core/planning/setting-rows.ts";
import type { LevelThresholds } from "../core/prices/level.ts";
import type { Timeline } from "../core/prices/timeline.ts";
import type { KeyValue } from "../core/runtime/key-value.ts";
import type { Calendar } from "../core/time/calendar.ts";
import { type EpochMs, MINUTE_MS, QUARTER_MS } from "../core/time/interval.ts";
import type { PricedHome } from "./priced-homes.ts";

/** Delay of fallback hours after the daemon's start, because missing prices may still arrive. */
const GRACE_MS = 10 * MINUTE_MS;

export interface PlanFactsDeps {
  readonly homes: { readonly ids: ReadonlySet<string>; named(id: string): PricedHome | null; readonly known: boolean };
  readonly timelineOf: (home: PricedHome, now: EpochMs) => Timeline | null;
  /** Returns the export prices; null if neither the service nor a place of the region has them. */
  readonly exportTimelineOf?: (home: PricedHome, now: EpochMs) => Timeline | null;
  readonly calendar: Calendar;
  readonly thresholds?: LevelThresholds;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  readonly startedAt: EpochMs;
  /** Stores the holidays that are set at run time. */
  readonly memory: KeyValue;
  /** Language of the reasons; default English. */
  readonly language?: Language;
}

export class PlanFacts {
  readonly #deps: PlanFactsDeps;
  /** Machines that plugs watch, keyed by plan. Bounded by the plugs. */
  readonly #machines = new Map<string, PlanMachine>();
  /** Charges of batteries, keyed by topic. Bounded by the plans. */
  readonly #charges = new Map<string, Charge>();
  /** Holidays as set at run time, keyed by home. Bounded by the homes and places. */
  readonly #away = new Map<string, string>();

  constructor(deps: PlanFactsDeps) {
    this.#deps = deps;
  }

  contextAt(now: EpochMs): DecisionContext {
    const { calendar, thresholds, isTimeTrusted, startedAt, language = "en" } = this.#deps;
    return {
      ...{ now, calendar, trusted: isTimeTrusted(now), graceUntil: startedAt + GRACE_MS, language },
      ...(thresholds ? { thresholds } : {}),
      pricesOf: (plan) => this.#pricesOf(plan, now),
      machineOf: (plan) => this.#machines.get(plan),
      awayOf: (home) => this.awayOf(home),
    };
  }

  #pricesOf({ definition, spec }: Pick<PlanSlot, "definition" | "spec">, now: EpochMs): PlanPrices {
    const { homes, timelineOf, exportTimelineOf = () => null } = this.#deps;
    const home = homes.named(definition.home);
    const bought = home && timelineOf(home, now);
    if (!home || !isExport(spec)) return { isHomeKnown: home !== null, timeline: bought, lacksExport: false };
    const sold = exportTimelineOf(home, now);
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

  /** Returns the charge that a topic reported; null before. */
  chargeOf(topic: string | undefined): Charge | null {
    return this.#charges.get(topic ?? "") ?? null;
  }

  /** Returns the holiday of a home: as set at run time, otherwise that of the configuration. */
  awayOf(home: string): Away | null {
    const text = this.#away.get(home) ?? this.#deps.memory.read(memoryName(home)) ?? "";
    this.#away.set(home, text);
    const set = readAway(text);
    if (set === "home") return null;
    return set ?? this.#deps.homes.named(home)?.away ?? null;
  }

  /** Sets the holiday of a home. An empty text restores that of the configuration. */
  setAway(home: string, text: string): RefusedCommand | null {
    if (!this.#deps.homes.named(home)) return refusedCommand("unknown_plan", message("refused.no_home", { home }));
    const found = message("mistake.value_quoted", { text: text.slice(0, 40) });
    const expected = message("mistake.expected_away");
    if (text !== "" && readAway(text) === null)
      return refusedCommand(
        "unreadable_setting",
        placed("away", message("mistake.value", { expected, found, hint: "" })),
      );
    this.#deps.memory.write(memoryName(home), text);
    this.#away.set(home, text);
    return null;
  }
}

function memoryName(home: string): string {
  return `away/${home}`;
}
