/** What plans can use the prices of: homes, and places of the third-party interface. */
import type { PlanHome } from "../core/planning/group/circle-decision.ts";
import type { Away } from "../core/planning/model/plan-spec.ts";
import type { HomeHour } from "../core/planning/sun.ts";
import type { Timeline } from "../core/prices/timeline.ts";
import type { EpochMs, Interval } from "../core/time/interval.ts";
import { exportTimelineOf } from "../state/export-prices.ts";
import type { State } from "../state/open-state.ts";

/** A home or a place. */
export interface PricedHome {
  readonly id: string;
  /** Holiday in the configuration. */
  readonly away?: Away;
}

type Sources = Pick<State, "homes" | "places" | "homeReader" | "accounts" | "calendar">;

export class PricedHomes {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  get ids(): ReadonlySet<string> {
    return new Set([...this.#sources.homes.ids, ...this.places]);
  }

  get places(): readonly string[] {
    const { places, homes } = this.#sources;
    return places.list(homes.ids).map(({ place }) => place.id);
  }

  /** True if the homes of any account are known, and without an account. */
  get known(): boolean {
    const { homes, accounts } = this.#sources;
    return homes.known || accounts.consumers.length === 0;
  }

  named(id: string): PricedHome | null {
    return this.#sources.homes.named(id) ?? (this.places.includes(id) ? { id } : null);
  }

  /** Returns `gone` if every list of homes is known and none has it, or if it is a former home. */
  stateOf(id: string): PlanHome {
    const { homes, accounts } = this.#sources;
    if (this.named(id)) return "listed";
    const isComplete = accounts.consumers.every(({ name }) => homes.isListed(name));
    return isComplete || homes.former.some((home) => home.id === id) ? "gone" : "awaited";
  }

  timeline({ id }: PricedHome, now: EpochMs): Timeline | null {
    const { homes, homeReader, places } = this.#sources;
    const home = homes.named(id);
    if (home) return homeReader.timeline(home, now);
    const found = places.priced(now, homes.ids).find(({ place }) => place.id === id);
    if (!found || found.points.length === 0) return null;
    const points = found.points.map(({ start, end, price }) => ({ start, end, price, estimate: false }));
    return { points, currency: found.place.currency, vatIncluded: null };
  }

  /** Returns the hours of a range of which is known what was bought and sold; empty without export. */
  meteredHours({ id }: PricedHome, range: Interval): HomeHour[] {
    const { homes, homeReader } = this.#sources;
    const home = homes.named(id);
    const [bought, sold] = (["consumption", "solarExport"] as const).map((operation) => {
      return home ? homeReader.usageIn(home, { operation, unit: "hour", range })?.periods : undefined;
    });
    return (sold ?? []).flatMap(({ start, end, value: exported }, i): HomeHour[] => {
      const imported = bought?.[i]?.value ?? null;
      return exported === null || imported === null ? [] : [{ start, end, imported, exported }];
    });
  }

  /** Returns the export prices; null for a place, and if neither the service nor a place of the region has them. */
  exportTimeline({ id }: PricedHome, now: EpochMs): Timeline | null {
    const home = this.#sources.homes.named(id);
    return home && exportTimelineOf(this.#sources, home, now);
  }
}
