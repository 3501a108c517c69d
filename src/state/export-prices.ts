/** Prices of a home's exported energy. */
import { exportTimeline } from "../core/prices/export-price.ts";
import { type Home, type HomeSnapshot, homeSnapshot } from "../core/prices/home-snapshot.ts";
import type { PricePoint, Timeline } from "../core/prices/timeline.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { Homes } from "./homes.ts";
import type { Places } from "./places/places.ts";
import type { HomeReader } from "./price-reader.ts";

interface ExportSources {
  readonly homes: Pick<Homes, "address" | "ids">;
  readonly homeReader: Pick<HomeReader, "timeline">;
  readonly places: Pick<Places, "priced">;
  readonly calendar: Calendar;
}

/** Returns a home's prices as if it bought at its export prices; null if those are not known. */
export function exportSnapshotOf(sources: ExportSources, home: Home, now: EpochMs): HomeSnapshot | null {
  const timeline = exportTimelineOf(sources, home, now);
  return timeline && homeSnapshot({ home, timeline, now, calendar: sources.calendar });
}

/**
 * Returns the export prices of a home, from its own charges or from a third-party place in its region; null if neither
 * is known. `points` are the prices to convert; by default those of the timeline.
 */
export function exportTimelineOf(
  { homes, homeReader, places, calendar }: ExportSources,
  home: Home,
  now: EpochMs,
  points?: readonly PricePoint[],
): Timeline | null {
  const timeline = homeReader.timeline(home, now);
  if (!timeline) return null;
  const region = homes.address(home.addressId)?.region;
  const inRegion = places.priced(now, homes.ids).find(({ place }) => place.region !== null && place.region === region);
  const converted = points ? { ...timeline, points } : timeline;
  return exportTimeline(converted, inRegion?.points ?? [], { terms: home.exportTerms, calendar });
}
