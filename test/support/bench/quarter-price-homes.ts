import { type Home, type HomeSnapshot, homeSnapshot } from "../../../src/core/prices/home-snapshot.ts";
import type { PricePoint, Timeline } from "../../../src/core/prices/timeline.ts";
import { NO_USAGE } from "../../../src/core/prices/usage.ts";
import { type EpochMs, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { RetainedMessage } from "../../../src/mqtt/client/message.ts";
import { Announcer } from "../../../src/mqtt/homeassistant/announcer.ts";
import { stateMessages } from "../../../src/mqtt/homeassistant/entity.ts";
import { homeDevice } from "../../../src/mqtt/homeassistant/home-entities.ts";
import { homeMessages } from "../../../src/mqtt/topics/home-topics.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

export const QUARTER_MS = 15 * MINUTE_MS;
const FORECAST_HOURS = 168;
/** Days before and after the 25-hour day for which there are quarter-hour prices. */
const DAYS_BEFORE = 3;
const DAYS_AFTER = 3;

const calendar = serviceCalendar();

/** Start of a day of 100 quarters. */
export const LONG_DAY: EpochMs = calendar.startOf("day", Date.UTC(2026, 9, 25, 12));

/** Homes with quarter-hour prices around the 25-hour day, and all MQTT messages for them. */
export class QuarterPriceHomes {
  readonly #homes: readonly Home[];
  readonly #timeline: Timeline;
  readonly #announcer: Announcer;

  constructor(count: number) {
    const kept = new Map<string, string>();
    const memory = {
      read: (name: string) => kept.get(name) ?? null,
      write: (n: string, v: string) => void kept.set(n, v),
    };
    this.#homes = Array.from({ length: count }, (_, i) => ({
      id: `home${i}`,
      name: `Home ${i}`,
      account: "consumer",
      addressId: `00000000-0000-4000-8000-00000000000${i}`,
      resolution: "fifteenMinutes" as const,
    }));
    this.#timeline = { points: prices(), currency: "DKK", vatIncluded: true };
    this.#announcer = new Announcer({ baseTopic: "elbro", prefix: "homeassistant", version: "0.0.0" }, memory);
  }

  /** Returns all messages at `now`, in the daemon's order, and the time of the next change. */
  at(now: EpochMs): { readonly messages: RetainedMessage[]; readonly until: EpochMs } {
    const snapshots = this.#homes.map((home) => homeSnapshot({ home, timeline: this.#timeline, now, calendar }));
    const messages = [
      ...snapshots.flatMap((one) => this.#statesOf(one)),
      ...snapshots.map((one) => this.#document(one)),
    ];
    return { messages, until: Math.min(...snapshots.map(({ nextChangeAt }) => nextChangeAt)) };
  }

  #statesOf(snapshot: HomeSnapshot): RetainedMessage[] {
    return [
      ...homeMessages("elbro", snapshot),
      ...stateMessages("elbro", homeDevice({ prices: snapshot, sold: null, usage: NO_USAGE, month: null, away: null })),
    ];
  }

  #document(snapshot: HomeSnapshot): RetainedMessage {
    return this.#announcer.messageOf(
      homeDevice({ prices: snapshot, sold: null, usage: NO_USAGE, month: null, away: null }),
    );
  }
}

function prices(): PricePoint[] {
  const start = calendar.add("day", LONG_DAY, -DAYS_BEFORE);
  const end = calendar.add("day", LONG_DAY, DAYS_AFTER);
  const quarters = pointsOf(start, end, QUARTER_MS, false);
  return [...quarters, ...pointsOf(end, end + FORECAST_HOURS * HOUR_MS, HOUR_MS, true)];
}

/** Returns prices with six decimals, different in every interval. */
function pointsOf(start: EpochMs, end: EpochMs, stepMs: number, estimate: boolean): PricePoint[] {
  return Array.from({ length: Math.round((end - start) / stepMs) }, (_, i) => {
    const price = Number((1.5 + Math.sin(i / 13) + (i % 7) / 1_000_003).toFixed(6));
    return { start: start + i * stepMs, end: start + (i + 1) * stepMs, price, estimate, variableCharges: 0.9 };
  });
}
