/** Checks the statistics that elbro imports into Home Assistant against the data of the simulator. */

import { DAY_MS, type EpochMs, formatInstant, HOUR_MS, type Interval } from "../../src/core/time/interval.ts";
import { serviceCalendar } from "../../src/service/service-calendar.ts";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import type { Checks } from "./checks.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import { until } from "./until.ts";

/** Id of the home. Ids of statistics in Home Assistant cannot contain a hyphen. */
const HOME = { id: "strand-vej", inHomeAssistant: "strand_vej" };
/** Long enough for both clock changes of the last 12 months. */
const HISTORY_MONTHS = 14;
/** Requests are slow until the quota is known, and readings are imported after a delay. */
const IMPORTED_WITHIN_MS = 240_000;
const AGAIN_WITHIN_MS = 60_000;
const REFUSED_WITHIN_MS = 30_000;
/** Seed of a simulated service that has readings of the days around the clock changes. */
const SEED = 5;
/** Quota that lets the whole history be fetched within minutes. */
const AMPLE = { minute: 1_000, day: 100_000 };
/** Tolerance of sums: energy is rounded to Wh, money to millionths. */
const TOLERANCE = 1e-6;

const calendar = serviceCalendar();

/** Each statistic with its operation of the service, the field of the amount, and the unit. */
const SERIES = [
  ["consumption", "consumption", "energyKWh", "kWh"],
  ["cost", "consumption-costs", "totalCost", "DKK"],
  ["export", "solar-export", "energyKWh", "kWh"],
  ["revenue", "solar-export-revenue", "netRevenue", "DKK"],
] as const;

type Series = (typeof SERIES)[number];

type Row = { readonly start: EpochMs; readonly change: number; readonly state: number; readonly sum: number };

/** Checks the import of a separate home into a running Home Assistant. */
export async function checkStatistics(checks: Checks, home: HomeAssistant): Promise<void> {
  await using house = await StatisticsHouse.prepare(home);
  const changes = lastClockChanges(Date.now());
  await house.run(house.token, async () => {
    await checks.check("the whole history is imported into the statistics", () =>
      house.checkHistory(IMPORTED_WITHIN_MS),
    );
    for (const change of changes)
      await checks.check(
        `the statistics of three days around the clock change of ${calendar.dateOf(change.start)} equal the service's`,
        () => house.checkDays(change),
      );
    await checks.check("the Energy preferences accept the statistics without issues", () => checkEnergy(home));
  });
  await checks.check("statistics deleted in Home Assistant are imported again, with the same sums", async () => {
    await home.socket.ask({ type: "recorder/clear_statistics", statistic_ids: [idOf("consumption"), idOf("cost")] });
    return house.run(house.token, async () => {
      await house.checkHistory(AGAIN_WITHIN_MS);
      return house.checkDays(changes[0] as Interval);
    });
  });
  await checks.check("a refused token starts the problem home_assistant_refused", () =>
    house.run("not-a-token", async (line) => {
      const { value } = await until("problem", REFUSED_WITHIN_MS, () => line(/home_assistant_refused/));
      return (JSON.parse(value) as { detail: string }).detail;
    }),
  );
}

class StatisticsHouse implements AsyncDisposable {
  readonly token: string;
  readonly #home: HomeAssistant;
  readonly #installed: InstalledDaemon;
  readonly #read = new Map<string, Promise<Reading[]>>();

  private constructor(home: HomeAssistant, installed: InstalledDaemon, token: string) {
    this.#home = home;
    this.#installed = installed;
    this.token = token;
  }

  static async prepare(home: HomeAssistant): Promise<StatisticsHouse> {
    const installed = await InstalledDaemon.prepare({ simulator: { limits: AMPLE, seed: SEED } });
    return new StatisticsHouse(home, installed, await home.newToken("statistics"));
  }

  /** Runs the program with a token until `work` ends. */
  async run<Result>(
    token: string,
    work: (line: (pattern: RegExp) => string | undefined) => Promise<Result>,
  ): Promise<Result> {
    this.#installed.configure({
      third_party: undefined,
      homes: [{ address_id: this.#installed.simulator.addressIds.danish, id: HOME.id }],
      history: { months: HISTORY_MONTHS },
      home_assistant: { url: this.#home.url, token },
    });
    await using daemon = await this.#installed.launch();
    return await work((pattern) => daemon.lines.find((line) => pattern.test(line)));
  }

  /** Checks that every series has all hours of the history, up to the last day of the service. */
  async checkHistory(withinMs: number): Promise<string> {
    const now = Date.now();
    const first = calendar.startOf("day", calendar.shift(now, "day", -HISTORY_MONTHS * 30));
    const middle = calendar.startOf("day", calendar.shift(now, "day", -HISTORY_MONTHS * 15));
    // The service returns at most one year per request.
    const parts = [
      { start: first, end: middle },
      { start: middle, end: calendar.startOf("day", now) },
    ];
    const { value, seconds } = await until("the same hours", withinMs, async () => {
      let hours = 0;
      for (const part of parts) for (const series of SERIES) hours += await this.#compare(series, part, "hour");
      return hours;
    });
    return `${value} hours of ${SERIES.length} series, after ${seconds.toFixed(0)} s`;
  }

  /** Checks three days around a day for each series: hours and sums per day. */
  async checkDays(change: Interval): Promise<string> {
    const range = { start: calendar.add("day", change.start, -1), end: calendar.add("day", change.end, 1) };
    for (const series of SERIES) for (const unit of ["hour", "day"] as const) await this.#compare(series, range, unit);
    const days = await this.#statistics(SERIES[0], range, "day");
    if (days.length !== 3) throw new Error(`${days.length} days: the service has gaps here, take another seed`);
    const hours = (change.end - change.start) / HOUR_MS;
    return `a day of ${hours} hours; consumption ${days.map((day) => `${day.change.toFixed(3)} kWh`).join(", ")}`;
  }

  /** Returns the number of intervals. Throws for the first one that differs from the service's. */
  async #compare(series: Series, range: Interval, unit: "hour" | "day"): Promise<number> {
    const [name] = series;
    const shown = await this.#statistics(series, range, unit);
    const expected = await this.#readings(series, range, unit);
    if (shown.length !== expected.length)
      throw new Error(`${name}: ${shown.length} ${unit}s in Home Assistant, ${expected.length} of the service`);
    for (const [i, { start, value }] of expected.entries()) {
      const row = shown[i];
      const amount = unit === "hour" ? row?.state : row?.change;
      if (row?.start === start && isNear(amount, value) && isNear(row.change, value)) continue;
      throw new Error(`${name} ${formatInstant(start)}: ${JSON.stringify(row)}; the service says ${value}`);
    }
    return expected.length;
  }

  async #statistics([name]: Series, { start, end }: Interval, period: "hour" | "day"): Promise<Row[]> {
    const found = await this.#home.socket.ask<Record<string, Row[]>>({
      type: "recorder/statistics_during_period",
      start_time: formatInstant(start),
      // Home Assistant includes the whole day that contains the end.
      end_time: formatInstant(end - 1),
      statistic_ids: [idOf(name)],
      period,
      types: ["change", "state", "sum"],
    });
    return found[idOf(name)] ?? [];
  }

  /** Returns the rows of the service, which are requested once. */
  #readings([, path, field]: Series, { start, end }: Interval, aggregation: "hour" | "day"): Promise<Reading[]> {
    const { simulator } = this.#installed;
    const query = new URLSearchParams({ from: formatInstant(start), to: formatInstant(end), aggregation });
    const url = `${simulator.url}/consumer/v1/me/addresses/${simulator.addressIds.danish}/${path}?${query}`;
    const known = this.#read.get(url) ?? readingsAt(url, simulator.keys.consumerKey ?? "", field);
    this.#read.set(url, known);
    return known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#installed[Symbol.asyncDispose]();
  }
}

type Reading = { readonly start: EpochMs; readonly value: number };

async function readingsAt(url: string, key: string, field: string): Promise<Reading[]> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`the simulator answers ${response.status}: ${text}`);
  const rows = Object.values(JSON.parse(text) as object).find(Array.isArray) as Record<string, string | number>[];
  return rows.map((row) => ({ start: Date.parse(String(row.start)), value: Number(row[field]) }));
}

async function checkEnergy(home: HomeAssistant): Promise<string> {
  const source = {
    type: "grid",
    stat_energy_from: idOf("consumption"),
    stat_cost: idOf("cost"),
    stat_energy_to: idOf("export"),
    stat_compensation: idOf("revenue"),
    cost_adjustment_day: 0,
  };
  await home.socket.ask({ type: "energy/save_prefs", energy_sources: [source] });
  const { energy_sources } = await home.socket.ask<{ energy_sources: object[] }>({ type: "energy/get_prefs" });
  const validation = await home.socket.ask<{ energy_sources: object[][] }>({ type: "energy/validate" });
  const { issues } = await statisticsIssues(home);
  if (energy_sources.length !== 1 || validation.energy_sources.flat().length + issues.length > 0)
    throw new Error(JSON.stringify({ energy_sources, validation, issues }));
  return JSON.stringify(validation);
}

/** Returns the issues of elbro's statistics as in Home Assistant's developer tools, and wrong units or sources. */
async function statisticsIssues(home: HomeAssistant): Promise<{ readonly issues: readonly unknown[] }> {
  const found = await home.socket.ask<Record<string, unknown[]>>({ type: "recorder/validate_statistics" });
  const issues = Object.entries(found).filter(([id]) => id.startsWith("elbro:"));
  const statistic_ids = SERIES.map(([name]) => idOf(name));
  const metadata = await home.socket.ask<Record<string, unknown>[]>({
    type: "recorder/get_statistics_metadata",
    statistic_ids,
  });
  for (const [name, , , unit] of SERIES) {
    const entry = metadata.find(({ statistic_id }) => statistic_id === idOf(name));
    if (entry?.statistics_unit_of_measurement !== unit || entry.has_sum !== true || entry.source !== "elbro")
      issues.push([idOf(name), [entry]]);
  }
  return { issues };
}

function idOf(name: Series[0]): string {
  return `elbro:${HOME.inHomeAssistant}_${name}`;
}

function isNear(a: number | undefined, b: number): boolean {
  return a !== undefined && Math.abs(a - b) < TOLERANCE;
}

/** Returns the days of the last two clock changes. */
function lastClockChanges(now: EpochMs): Interval[] {
  const days = calendar.intervals("day", { start: now - 366 * DAY_MS, end: now - 7 * DAY_MS });
  return days.filter(({ start, end }) => end - start !== DAY_MS);
}
