/** What is shown at a moment: every message of every home and of the daemon, the most urgent first. */
import { consumerKeys } from "./accounts.ts";
import type { Config } from "./config/schema.ts";
import { type DaemonState, type SeriesFreshness, serviceStateOf } from "./core/daemon-state.ts";
import type { Home } from "./core/home-snapshot.ts";
import { type EpochMs, MINUTE_MS } from "./core/interval.ts";
import type { Problems } from "./core/problem.ts";
import type { SeriesKey, SeriesOperation } from "./core/series.ts";
import { Announcer } from "./homeassistant/announcer.ts";
import { daemonDevice } from "./homeassistant/daemon-entities.ts";
import { stateMessages } from "./homeassistant/entity.ts";
import { homeDevice } from "./homeassistant/home-entities.ts";
import type { Homes } from "./homes.ts";
import type { House } from "./house.ts";
import type { Library } from "./library.ts";
import { daemonMessages } from "./mqtt/daemon-messages.ts";
import { homeMessages } from "./mqtt/home-messages.ts";
import type { Message } from "./mqtt/message.ts";
import { usageMessages } from "./mqtt/usage-messages.ts";
import type { Settings } from "./store/settings.ts";
import { VERSION } from "./version.ts";

export interface ShowingParts {
  readonly config: Config;
  readonly homes: Homes;
  readonly house: House;
  readonly library: Library;
  readonly settings: Settings;
  readonly problems: Problems;
  readonly startedAt: EpochMs;
}

/** The state as it is, and until when it stays so of itself. */
export interface Shown {
  /** The whole state: a topic that is not here has no value any more. */
  readonly messages: readonly Message[];
  readonly until: EpochMs;
}

/** Heartbeats are due at least this often. */
const LONGEST_MS = 60 * MINUTE_MS;

export class Showing {
  readonly #parts: ShowingParts;
  readonly #announcer: Announcer;

  constructor(parts: ShowingParts) {
    const { base_topic: baseTopic, discovery_prefix: prefix } = parts.config.mqtt;
    this.#parts = parts;
    this.#announcer = new Announcer({ baseTopic, prefix, version: VERSION }, parts.settings);
  }

  /** Everything there is to show at `now`. */
  at(now: EpochMs): Shown {
    const { config, homes, house } = this.#parts;
    const base = config.mqtt.base_topic;
    const urgent: Message[] = [];
    const later: Message[] = [];
    let until = now + LONGEST_MS;
    for (const home of homes.list()) {
      const snapshot = house.snapshot(home, now);
      const usage = house.usage(home, now);
      const device = homeDevice(snapshot, usage);
      urgent.push(...homeMessages(base, snapshot), ...stateMessages(base, device));
      later.push(...usageMessages(base, home.id, usage));
      if (device.currency !== null) later.push(this.#announcer.messageOf(device));
      until = Math.min(until, snapshot.nextChangeAt);
    }
    const state = daemonState(this.#parts);
    const daemon = daemonDevice(state, nameOfDaemon(base));
    later.push(...daemonMessages(base, state), ...stateMessages(base, daemon), this.#announcer.messageOf(daemon));
    return { messages: [...urgent, ...later], until };
  }
}

/** Two daemons on one broker have two names. */
function nameOfDaemon(baseTopic: string): string {
  return baseTopic === "elbro" ? baseTopic : `elbro ${baseTopic}`;
}

function daemonState({ config, homes, library, problems, startedAt }: ShowingParts): DaemonState {
  const list = problems.list();
  const series = homes.list().flatMap((home) => freshnessOf(home, homes, library));
  return {
    version: VERSION,
    startedAt,
    problems: list,
    interfaces: consumerKeys(config).map(({ name }) => ({
      account: name,
      interface: "consumer",
      service: serviceStateOf(name, answeredAt(library, name) !== null, list),
      minuteLeft: null,
      dayLeft: null,
      requestsToday: null,
    })),
    series,
    backfill: null,
  };
}

function answeredAt(library: Library, account: string): EpochMs | null {
  return library.stateOf({ account, place: "", operation: "addresses", unit: "latest" }).answeredAt;
}

const LABELS: Readonly<Partial<Record<SeriesOperation, string>>> = {
  prices: "prices",
  forecastPrices: "forecast",
  consumption: "consumption",
  consumptionCosts: "costs",
  solarExport: "export",
  solarExportRevenue: "revenue",
};

function freshnessOf(home: Home, homes: Homes, library: Library): SeriesFreshness[] {
  const target = homes.targets(home.account).find(({ addressId }) => addressId === home.addressId);
  return [...(target?.operations ?? [])].map((operation) => ({
    owner: { id: home.id, name: home.name },
    account: home.account,
    label: LABELS[operation] ?? operation,
    lastSuccessAt: library.stateOf(seriesOf(home, operation)).answeredAt,
  }));
}

function seriesOf({ account, addressId, resolution }: Home, operation: SeriesOperation): SeriesKey {
  const place = addressId;
  if (operation === "forecastPrices") return { account, place, operation, unit: "latest" };
  return { account, place, operation, unit: operation === "prices" ? resolution : "hour" };
}
