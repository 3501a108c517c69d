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
import type { ApiDeps } from "../deps.ts";
import type { ValueOf } from "../schema.ts";
import type { HealthCode, healthSummary } from "./monitoring-schemas.ts";

/** Status of the daemon. `degraded` and `starting` also give status 200. */
type HealthStatus = "ok" | "starting" | "degraded" | "unhealthy";

interface HealthCheck {
  readonly code: HealthCode;
  /** Finding in English, without names of homes or files. */
  readonly text: string;
  /** Findings with names, for callers with a key. */
  readonly detail: readonly string[];
}

export interface HealthReport {
  readonly status: HealthStatus;
  /** True if no check has found a failure that a restart may fix. */
  readonly lives: boolean;
  readonly checks: Readonly<Record<"loop" | "database" | "prices" | "clock" | "problems", HealthCheck>>;
}

/** Time after the start during which missing prices are awaited. */
const GRACE_MS = 10 * MINUTE_MS;
/** Minimum interval between two checks of the database. */
const PROBE_MS = MINUTE_MS;
/** Time for which a report is cached, so that frequent requests without a key cost little. */
const FRESH_MS = SECOND_MS;

const FAILING: ReadonlySet<HealthCode> = new Set(["loop_stuck", "database_not_writing", "prices_missing"]);
const RESTART_MENDS: ReadonlySet<HealthCode> = new Set(["loop_stuck", "database_not_writing"]);

export function healthOf({ clock, state, storage: { database, databasePath } }: ApiDeps): () => Promise<HealthReport> {
  const troubleOfDatabase = cached(PROBE_MS, clock, () => databaseTrouble(database, databasePath));
  return cached(FRESH_MS, clock, async () => {
    const now = clock.now();
    const trouble = await troubleOfDatabase();
    const isStarting = clock.monotonicMs() - state.stats.startedMs < GRACE_MS;
    const checks = {
      loop: checkLoops(state),
      database:
        trouble === null ? ok("the database can be written") : check("database_not_writing", trouble, [databasePath]),
      prices: checkPrices(await pricesNow(state, now), now, isStarting),
      clock: state.isTimeTrusted(now) ? ok("the clock is plausible") : check("clock_wrong", WRONG_CLOCK),
      problems: checkProblems(state),
    };
    const codes = Object.values(checks).map(({ code }) => code);
    return { status: statusOf(codes), lives: !codes.some((code) => RESTART_MENDS.has(code)), checks };
  });
}

/** Returns a function that returns the last result of `make` again for a time in ms. */
function cached<Result>(forMs: number, clock: ApiDeps["clock"], make: () => Result): () => Result {
  let last: { readonly at: MonotonicMs; readonly result: Result } | null = null;
  return () => {
    const at = clock.monotonicMs();
    if (!last || at - last.at >= forMs) last = { at, result: make() };
    return last.result;
  };
}

const WRONG_CLOCK = "the clock of this machine cannot be trusted, so elbro does not switch by price";

function checkLoops({ stats }: ApiDeps["state"]): HealthCheck {
  const late = stats.heartbeats.filter(({ lateMs }) => lateMs > 0);
  if (late.length === 0) return ok("all loops run on time");
  const detail = late.map(({ name, lateMs }) => `${name}: ${Math.ceil(lateMs / SECOND_MS)} s late`);
  return check("loop_stuck", `${late.length} of the loops are overdue`, detail);
}

function checkPrices(prices: readonly PriceNow[], now: EpochMs, isStarting: boolean): HealthCheck {
  const lacking = prices.filter(({ until }) => until === null).map(({ name }) => name);
  const estimated = prices.filter(({ estimate }) => estimate);
  if (lacking.length > 0 || prices.length === 0) {
    const what =
      prices.length === 0 ? "no home is known" : `${lacking.length} of ${prices.length} have no current price`;
    return check(isStarting ? "prices_awaited" : "prices_missing", what, lacking);
  }
  const detail = prices.map(({ name, until }) => `${name}: until ${formatInstant(until ?? now)}`);
  if (estimated.length > 0) {
    const what = `${estimated.length} of ${prices.length} have only an estimate of the current price`;
    return check("prices_estimated", what, detail);
  }
  const until = Math.min(...prices.map((price) => price.until ?? now));
  return ok(`the current price is known until ${formatInstant(until)}`, detail);
}

function checkProblems({ problems }: ApiDeps["state"]): HealthCheck {
  const current = problems.list();
  if (current.length === 0) return ok("no problems");
  const codes = [...new Set(current.map(({ code }) => code))].join(", ");
  const detail = current.map(({ subject, advice }) => `${subject}: ${advice}`);
  return check("problems", codes, detail);
}

/** A home or place with the end of its current price; `until` is null if there is no current price. */
type PriceNow = { readonly name: string; readonly until: EpochMs | null; readonly estimate: boolean };

/** Reads, in slices, every home whose prices are collected, and every place. */
async function pricesNow({ homes, homeReader, places, accounts }: ApiDeps["state"], now: EpochMs): Promise<PriceNow[]> {
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

function check(code: HealthCode, text: string, detail: readonly string[] = []): HealthCheck {
  return { code, text, detail };
}

function ok(text: string, detail?: readonly string[]): HealthCheck {
  return check("ok", text, detail);
}

function statusOf(codes: readonly HealthCode[]): HealthStatus {
  if (codes.some((code) => FAILING.has(code))) return "unhealthy";
  if (codes.includes("prices_awaited")) return "starting";
  return codes.every((code) => code === "ok") ? "ok" : "degraded";
}

/** Returns the body of the response. `hasKey` adds the details, which contain names. */
export function healthBody({ status, checks }: HealthReport, hasKey: boolean): ValueOf<typeof healthSummary> {
  const bodyOf = ({ code, text, detail }: HealthCheck) => {
    return { ok: code === "ok", code, text, ...(hasKey && detail.length > 0 && { detail }) };
  };
  const named = Object.entries(checks).map(([name, check]) => [name, bodyOf(check)]);
  return { status, checks: Object.fromEntries(named) as Record<keyof typeof checks, ReturnType<typeof bodyOf>> };
}
