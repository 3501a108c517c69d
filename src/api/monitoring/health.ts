/**
 * Health checks. Three of the five decide the status codes of the responses: loops, database and prices.
 *
 * `/healthz` responds 503 if a loop is late, the database cannot be written or a current price is missing.
 * `/livez` responds 503 for the first two only, because a restart may fix them. Watchdogs use `/livez`, because a
 * restart does not repair an internet connection.
 */

import type { MonotonicMs } from "../../core/fetching/rate-limit.ts";
import { pointAt } from "../../core/prices/timeline.ts";
import { type EpochMs, formatInstant, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import { inSlices } from "../../state/slices.ts";
import { databaseTrouble } from "../../storage/write-check.ts";
import type { ValueOf } from "../schema.ts";
import type { MonitoringDeps } from "./monitoring-deps.ts";
import type { HealthCode, healthSummary } from "./monitoring-schemas.ts";

/** Status of the daemon. `degraded` and `starting` also give status 200. */
export type HealthStatus = "ok" | "starting" | "degraded" | "unhealthy";

export interface HealthCheck {
  readonly name: "loop" | "database" | "prices" | "clock" | "problems";
  readonly code: HealthCode;
  /** Finding in English, without names of homes or files. */
  readonly text: string;
  /** Findings with names, for callers with a key. */
  readonly detail: readonly string[];
}

export interface HealthReport {
  readonly status: HealthStatus;
  /** True if the loops, the database and the prices are all right, or if the prices are still awaited after a start. */
  readonly serves: boolean;
  /** True if no check has found a failure that a restart may fix. */
  readonly lives: boolean;
  readonly checks: readonly HealthCheck[];
}

/** Time after the start during which missing prices are awaited. */
const GRACE_MS: number = 10 * MINUTE_MS;
/** Minimum interval between two checks of the database. */
const PROBE_MS: number = MINUTE_MS;
/** Time for which a report is cached, so that frequent requests without a key cost little. */
const FRESH_MS: number = SECOND_MS;

const FAILING: ReadonlySet<HealthCode> = new Set(["loop_stuck", "database_not_writing", "prices_missing"]);
const RESTART_MENDS: ReadonlySet<HealthCode> = new Set(["loop_stuck", "database_not_writing"]);

export type HealthDeps = Pick<MonitoringDeps, "clock" | "state" | "storage">;

export class Health {
  readonly #deps: HealthDeps;
  #probed: { readonly at: MonotonicMs; readonly trouble: Promise<string | null> } | null = null;
  #reported: { readonly at: MonotonicMs; readonly report: Promise<HealthReport> } | null = null;

  constructor(deps: HealthDeps) {
    this.#deps = deps;
  }

  report(): Promise<HealthReport> {
    const at = this.#deps.clock.monotonicMs();
    if (!this.#reported || at - this.#reported.at >= FRESH_MS) this.#reported = { at, report: this.#make(at) };
    return this.#reported.report;
  }

  async #make(at: MonotonicMs): Promise<HealthReport> {
    const { clock } = this.#deps;
    const now = clock.now();
    const [database, prices] = [await this.#database(at), await this.#prices(at, now)];
    const checks = [this.#loop(), database, prices, this.#clock(now), this.#problems()];
    const codes = checks.map(({ code }) => code);
    const serves = !codes.some((code) => FAILING.has(code));
    const lives = !codes.some((code) => RESTART_MENDS.has(code));
    return { status: statusOf(codes, serves), serves, lives, checks };
  }

  #loop(): HealthCheck {
    const late = this.#deps.state.stats.heartbeats.filter(({ lateMs }) => lateMs > 0);
    if (late.length === 0) return check("loop", "ok", "all loops run on time");
    const detail = late.map(({ name, lateMs }) => `${name}: ${Math.ceil(lateMs / SECOND_MS)} s late`);
    return check("loop", "loop_stuck", `${late.length} of the loops are overdue`, detail);
  }

  async #database(at: MonotonicMs): Promise<HealthCheck> {
    const { database, databasePath } = this.#deps.storage;
    if (!this.#probed || at - this.#probed.at >= PROBE_MS)
      this.#probed = { at, trouble: databaseTrouble(database, databasePath) };
    const trouble = await this.#probed.trouble;
    return trouble === null
      ? check("database", "ok", "the database can be written")
      : check("database", "database_not_writing", trouble, [databasePath]);
  }

  async #prices(at: MonotonicMs, now: EpochMs): Promise<HealthCheck> {
    const prices = await pricesNow(this.#deps.state, now);
    const lacking = prices.filter(({ until }) => until === null);
    const estimated = prices.filter(({ estimate }) => estimate);
    if (lacking.length > 0 || prices.length === 0) {
      const awaited = at - this.#deps.state.stats.startedMs < GRACE_MS;
      const what =
        prices.length === 0 ? "no home is known" : `${lacking.length} of ${prices.length} have no current price`;
      return check(
        "prices",
        awaited ? "prices_awaited" : "prices_missing",
        what,
        lacking.map(({ name }) => name),
      );
    }
    const until = Math.min(...prices.map((price) => price.until ?? now));
    const detail = prices.map((price) => `${price.name}: until ${formatInstant(price.until ?? now)}`);
    if (estimated.length > 0)
      return check(
        "prices",
        "prices_estimated",
        `${estimated.length} of ${prices.length} have only an estimate of the current price`,
        detail,
      );
    return check("prices", "ok", `the current price is known until ${formatInstant(until)}`, detail);
  }

  #clock(now: EpochMs): HealthCheck {
    return this.#deps.state.isTimeTrusted(now)
      ? check("clock", "ok", "the clock is plausible")
      : check("clock", "clock_wrong", "the clock of this machine cannot be trusted, so elbro does not switch by price");
  }

  #problems(): HealthCheck {
    const problems = this.#deps.state.problems.list();
    if (problems.length === 0) return check("problems", "ok", "no problems");
    const codes = [...new Set(problems.map(({ code }) => code))].join(", ");
    return check(
      "problems",
      "problems",
      codes,
      problems.map(({ subject, advice }) => `${subject}: ${advice}`),
    );
  }
}

/** A home or place with the end of its current price; `until` is null if there is no current price. */
interface PriceNow {
  readonly name: string;
  readonly until: EpochMs | null;
  readonly estimate: boolean;
}

/** Reads, in slices, every home whose prices are collected, and every place. */
async function pricesNow(
  { homes, homeReader, places, accounts }: HealthDeps["state"],
  now: EpochMs,
): Promise<PriceNow[]> {
  const ofHomes: PriceNow[] = [];
  await inSlices(accounts.consumers, ({ name: account }) => {
    for (const { addressId, series } of homes.targets(account)) {
      const home = homes.at(addressId);
      if (!home || !series.some(({ poll }) => poll === "prices")) continue;
      const current = pointAt(homeReader.timeline(home, now)?.points ?? [], now);
      ofHomes.push({ name: home.name, until: current?.end ?? null, estimate: current?.estimate ?? false });
    }
  });
  const ofPlaces = places
    .snapshots(now, homes.ids)
    .map(({ place, current }): PriceNow => ({ name: place.name, until: current?.end ?? null, estimate: false }));
  return [...ofHomes, ...ofPlaces];
}

function check(name: HealthCheck["name"], code: HealthCode, text: string, detail: readonly string[] = []): HealthCheck {
  return { name, code, text, detail };
}

function statusOf(codes: readonly HealthCode[], serves: boolean): HealthStatus {
  if (!serves) return "unhealthy";
  if (codes.includes("prices_awaited")) return "starting";
  return codes.every((code) => code === "ok") ? "ok" : "degraded";
}

/** Returns the body of the response. `hasKey` adds the details, which contain names. */
export function healthBody({ status, checks }: HealthReport, hasKey: boolean): ValueOf<typeof healthSummary> {
  const bodyOf = (wanted: HealthCheck["name"]) => {
    const { code = "ok", text = "", detail = [] } = checks.find(({ name }) => name === wanted) ?? {};
    return { ok: code === "ok", code, text, ...(hasKey && detail.length > 0 && { detail }) };
  };
  const [loop, database, prices] = [bodyOf("loop"), bodyOf("database"), bodyOf("prices")];
  return { status, checks: { loop, database, prices, clock: bodyOf("clock"), problems: bodyOf("problems") } };
}
