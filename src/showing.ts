/** What is shown at a moment: every message of every home and of the daemon, the most urgent first. */
import type { Accounts } from "./accounts.ts";
import type { Config } from "./config/schema.ts";
import type { Calendar } from "./core/calendar.ts";
import { type BackfillState, type DaemonState, type SeriesFreshness, serviceStateOf } from "./core/daemon-state.ts";
import type { Home, HomeSnapshot } from "./core/home-snapshot.ts";
import { DAY_MS, type EpochMs, type Interval, MINUTE_MS } from "./core/interval.ts";
import type { PlanSnapshot } from "./core/plan-snapshot.ts";
import type { PlugSnapshot } from "./core/plug-snapshot.ts";
import type { Problems } from "./core/problem.ts";
import type { SeriesKey, SeriesOperation } from "./core/series.ts";
import { Announcer } from "./homeassistant/announcer.ts";
import { daemonDevice } from "./homeassistant/daemon-entities.ts";
import { stateMessages } from "./homeassistant/entity.ts";
import { homeDevice } from "./homeassistant/home-entities.ts";
import { placeDevice } from "./homeassistant/place-entities.ts";
import { planDevice } from "./homeassistant/plan-entities.ts";
import { plugDevice } from "./homeassistant/plug-entities.ts";
import type { Homes } from "./homes.ts";
import type { House } from "./house.ts";
import type { Library } from "./library.ts";
import { daemonMessages } from "./mqtt/daemon-messages.ts";
import { type FormatOf, formatMessages } from "./mqtt/format-messages.ts";
import { homeMessages } from "./mqtt/home-messages.ts";
import type { Message } from "./mqtt/message.ts";
import { placeMessages } from "./mqtt/place-messages.ts";
import { planMessages } from "./mqtt/plan-messages.ts";
import { plugMessages } from "./mqtt/plug-messages.ts";
import { usageMessages } from "./mqtt/usage-messages.ts";
import type { Places } from "./places.ts";
import type { Plans } from "./plans.ts";
import type { Settings } from "./store/settings.ts";
import { VERSION } from "./version.ts";

export interface ShowingParts {
  readonly log: { info(facts: object, text: string): void };
  readonly config: Config;
  readonly accounts: Accounts;
  readonly calendar: Calendar;
  /** Since when history is wanted, seen from a moment. */
  readonly historyFrom: (now: EpochMs) => EpochMs;
  readonly homes: Homes;
  readonly places: Places;
  readonly plans: Plans;
  readonly plugs: () => readonly PlugSnapshot[];
  readonly house: House;
  /** The attributes for another program that reads a home's prices. */
  readonly formatOf: FormatOf;
  readonly library: Library;
  readonly settings: Settings;
  readonly problems: Problems;
  readonly startedAt: EpochMs;
  /** Whether the clock can be right; no signal is ON where it cannot. */
  readonly isTimeTrusted: (now: EpochMs) => boolean;
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
  /** Homes whose quarters repeated their hours when last seen. Bounded by the homes. */
  readonly #repeating = new Map<string, boolean>();
  #plans: readonly PlanSnapshot[] = [];

  constructor(parts: ShowingParts) {
    const { base_topic: baseTopic, discovery_prefix: prefix } = parts.config.mqtt;
    this.#parts = parts;
    this.#announcer = new Announcer({ baseTopic, prefix, version: VERSION }, parts.settings);
  }

  /** The prices of every home at `now`: what a house waits for, in half the time of all there is. */
  pricesAt(now: EpochMs): readonly Message[] {
    const { config, homes } = this.#parts;
    return homes.list().flatMap((home) => homeMessages(config.mqtt.base_topic, this.#snapshot(home, now)));
  }

  /** Everything there is to show at `now`. */
  at(now: EpochMs): Shown {
    const { config, homes, house } = this.#parts;
    const base = config.mqtt.base_topic;
    const urgent: Message[] = [];
    const later: Message[] = [];
    let until = now + LONGEST_MS;
    for (const home of homes.list()) {
      const snapshot = this.#snapshot(home, now);
      const usage = house.usage(home, now);
      const device = homeDevice(snapshot, usage);
      urgent.push(...homeMessages(base, snapshot), ...stateMessages(base, device));
      later.push(...usageMessages(base, home.id, usage), ...formatMessages(base, snapshot, this.#parts.formatOf));
      if (device.currency !== null) later.push(this.#announcer.messageOf(device));
      until = Math.min(until, snapshot.nextChangeAt);
    }
    const isTrusted = this.#parts.isTimeTrusted(now);
    for (const place of this.#parts.places.snapshots(now, new Set(homes.list().map(({ id }) => id)))) {
      const snapshot = isTrusted ? place : { ...place, cheap: null };
      const device = placeDevice(snapshot);
      urgent.push(...placeMessages(base, snapshot), ...stateMessages(base, device));
      later.push(this.#announcer.messageOf(device));
      until = Math.min(until, snapshot.nextChangeAt ?? until);
    }
    const planned = this.#parts.plans.at(now);
    this.#plans = planned.plans;
    for (const plan of planned.plans) {
      const device = planDevice(plan);
      urgent.push(...planMessages(base, plan), ...stateMessages(base, device));
      later.push(this.#announcer.messageOf(device));
    }
    until = Math.min(until, planned.until ?? until);
    for (const plug of this.#parts.plugs()) {
      const device = plugDevice(plug);
      urgent.push(...plugMessages(base, plug), ...stateMessages(base, device));
      later.push(this.#announcer.messageOf(device));
    }
    const state = this.daemon(now);
    const daemon = daemonDevice(state, nameOfDaemon(base));
    later.push(...daemonMessages(base, state), ...stateMessages(base, daemon), this.#announcer.messageOf(daemon));
    return { messages: [...urgent, ...later], until };
  }

  /** The plans as they were last shown. */
  get plans(): readonly PlanSnapshot[] {
    return this.#plans;
  }

  /** The daemon as it is at `now`. */
  daemon(now: EpochMs): DaemonState {
    return daemonState(this.#parts, now);
  }

  #snapshot(home: Home, now: EpochMs): HomeSnapshot {
    const { house, isTimeTrusted, log } = this.#parts;
    const snapshot = house.snapshot(home, now);
    if (snapshot.today.length > 0 && snapshot.quartersRepeatHours !== this.#repeating.get(home.id)) {
      if (snapshot.quartersRepeatHours)
        log.info({ home: home.id }, "quarter-hour prices are the hour's, said four times");
      this.#repeating.set(home.id, snapshot.quartersRepeatHours);
    }
    return isTimeTrusted(now) ? snapshot : { ...snapshot, cheap: null };
  }
}

/** Two daemons on one broker have two names. */
function nameOfDaemon(baseTopic: string): string {
  return baseTopic === "elbro" ? baseTopic : `elbro ${baseTopic}`;
}

function daemonState(parts: ShowingParts, now: EpochMs): DaemonState {
  const { accounts, homes, library, problems, startedAt } = parts;
  const list = problems.list();
  const all = [...accounts.consumers, ...(accounts.thirdParty ? [accounts.thirdParty] : [])];
  return {
    version: VERSION,
    startedAt,
    problems: list,
    interfaces: all.map((account) => {
      const partner = account === accounts.thirdParty;
      const left = account.left(now);
      return {
        account: account.name,
        interface: partner ? "third_party" : "consumer",
        service: serviceStateOf(account.name, answeredAt(library, account.name, partner) !== null, list),
        minuteLeft: left.minute,
        dayLeft: left.day,
        requestsToday: library.ledger.countSince(account.name, Math.floor(now / DAY_MS) * DAY_MS),
      };
    }),
    series: homes.list().flatMap((home) => freshnessOf(home, homes, library)),
    backfill: backfillState(parts, now),
  };
}

/** How much of the wanted history was asked. History is filled from the newest day on, so one gap is left at most. */
function backfillState({ homes, library, calendar, historyFrom }: ShowingParts, now: EpochMs): BackfillState | null {
  const within = { start: calendar.startOf("day", historyFrom(now)), end: calendar.startOf("day", now) };
  const days = (range: Interval) => Math.round((range.end - range.start) / DAY_MS);
  let known = 0;
  let wanted = 0;
  for (const home of homes.list()) {
    for (const operation of operationsOf(home, homes)) {
      if (operation === "forecastPrices") continue;
      const gap = library.stateOf(seriesOf(home, operation)).newestGap(within);
      wanted += days(within);
      known += days(within) - (gap ? days({ start: within.start, end: gap.end }) : 0);
    }
  }
  return wanted === 0 ? null : { known, wanted };
}

function answeredAt(library: Library, account: string, partner: boolean): EpochMs | null {
  const series = partner
    ? ({ place: "{}", operation: "requestCounts" } as const)
    : ({ place: "", operation: "addresses" } as const);
  return library.stateOf({ account, ...series, unit: "latest" }).answeredAt;
}

function operationsOf(home: Home, homes: Homes): SeriesOperation[] {
  const target = homes.targets(home.account).find(({ addressId }) => addressId === home.addressId);
  return [...(target?.operations ?? [])];
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
  return operationsOf(home, homes).map((operation) => ({
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
