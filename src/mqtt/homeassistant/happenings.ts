/** Notices what Home Assistant shows as events: of prices, and of runs. Events are sent once and not retained. */
import type { PlanSnapshot } from "../../core/planning/snapshot/plan-snapshot.ts";
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { rounded } from "../../core/text/rounding.ts";
import type { Calendar, LocalDate } from "../../core/time/calendar.ts";

/** Types of the events of a home and of a plan. */
export const priceEvents = ["tomorrow_available", "negative_prices"] as const;
export const runEvents = ["plan_started", "plan_ended", "plan_cannot_run", "plan_firm"] as const;

export interface Happening {
  readonly event_type: (typeof priceEvents)[number] | (typeof runEvents)[number];
  readonly [attribute: string]: string | number | null;
}

interface SeenHome {
  /** Day after today whose prices are all known. */
  readonly tomorrow: LocalDate | null;
  /** Days with negative prices. */
  readonly negative: ReadonlySet<LocalDate>;
}

/** Compares each home and plan with how it was last seen. What is seen for the first time is no event. */
export class Happenings {
  readonly #calendar: Calendar;
  /** Keyed by id. Bounded by the homes and plans of this run. */
  readonly #homes = new Map<string, SeenHome>();
  readonly #plans = new Map<string, Record<"on" | "isHindered" | "isProvisional", boolean>>();

  constructor(calendar: Calendar) {
    this.#calendar = calendar;
  }

  ofHome({ home, today, tomorrow, tomorrowValid, tomorrowMean }: HomeSnapshot): Happening[] {
    const before = this.#homes.get(home.id);
    const [firstOfTomorrow] = tomorrow;
    const dateOfTomorrow = tomorrowValid && firstOfTomorrow ? this.#calendar.dateOf(firstOfTomorrow.start) : null;
    const least = new Map<LocalDate, number>();
    for (const { start, price } of [...today, ...(tomorrowValid ? tomorrow : [])]) {
      const date = price < 0 ? this.#calendar.dateOf(start) : null;
      if (date !== null) least.set(date, Math.min(price, least.get(date) ?? 0));
    }
    this.#homes.set(home.id, { tomorrow: dateOfTomorrow, negative: new Set(least.keys()) });
    if (!before) return [];
    const isNew = dateOfTomorrow !== null && dateOfTomorrow !== before.tomorrow;
    return [
      ...(isNew ? [{ event_type: "tomorrow_available", date: dateOfTomorrow, mean: tomorrowMean } as const] : []),
      ...[...least].flatMap(([date, price]) =>
        before.negative.has(date) ? [] : [{ event_type: "negative_prices", date, least: rounded(price) } as const],
      ),
    ];
  }

  ofPlan({ definition: { id }, on, state, reason, provisional, runs, saving }: PlanSnapshot): Happening[] {
    const before = this.#plans.get(id);
    const isHindered = state === "impossible" || state === "no_prices";
    this.#plans.set(id, { on, isHindered, isProvisional: provisional });
    if (!before) return [];
    const because = { reason: reason.text, code: reason.code };
    const isFirm = before.isProvisional && !provisional && runs.length > 0;
    const saved = saving.againstWindowStart === null ? null : rounded(saving.againstWindowStart);
    return [
      ...(on === before.on ? [] : [{ event_type: on ? "plan_started" : "plan_ended", ...because } as const]),
      ...(isHindered && !before.isHindered ? [{ event_type: "plan_cannot_run", ...because } as const] : []),
      ...(isFirm ? [{ event_type: "plan_firm", ...because, saving: saved } as const] : []),
    ];
  }
}
