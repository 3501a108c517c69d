/** Plans the runs that have not begun, again only when prices, settings or other plans have changed. */

import { type PricePoint, pointAt } from "../prices/timeline.ts";
import { fnv1a } from "../text/fnv.ts";
import { clipped, contains, type EpochMs, type Interval, lengthOf, overlaps, without } from "../time/interval.ts";
import { isCharged, isChargeUnknown } from "./charge.ts";
import { hasHours, type PlanSolution, type PlanSolved } from "./model/plan-spec.ts";
import { horizonOf, mergeRuns, spansIn } from "./model/plan-windows.ts";
import { isUnpriced, overdueAt, type PlanInput } from "./plan-input.ts";
import { renewalAfter } from "./plan-interruption.ts";
import {
  begunInRound,
  lastEnd,
  type PlanBasis,
  type PlanOutcome,
  type PlanRecord,
  type PlanRun,
} from "./plan-record.ts";
import { baselinesOf, runPrice } from "./snapshot/plan-savings.ts";

/** Difference of two equal prices after rounding. Unit: currency per kWh. */
const ROUNDING = 1e-9;

/** Returns a fingerprint of a plan's input. While it is the same, the plan is kept and does not move as time passes. */
export function inputFingerprint(moment: PlanInput, memory: PlanRecord): string {
  const { spec, group, blocked, after, finishBy, thresholds, machine, away = [] } = moment;
  const { window, ended } = memory;
  const priced = isUnpriced(moment) ? "unpriced" : "priced";
  const own = group?.blocked ?? blocked;
  const judged = [...(judgesLevels(spec) ? [thresholds] : []), ...(machine === "absent" ? [machine] : []), ...away];
  const others = JSON.stringify([spec, window, ended, own, after, finishBy]).slice(0, -1);
  const last = JSON.stringify([spec.fallback ? priced : "", ...judged]).slice(1);
  const made = hash(`${others},${textOf(pointsOf(moment), window)},${last}`);
  return group ? `${made}/${group.token}` : made;
}

/** Results of `textOf` by its prices and window: all plans with a window share one, and prices change once a day. */
const texts = new WeakMap<readonly PricePoint[], Map<string, string>>();

/** Returns the prices that touch a window as a part of the JSON array of a fingerprint: stored ones stay valid. */
function textOf(points: readonly PricePoint[], { start, until }: PlanRecord["window"]): string {
  const known = texts.get(points) ?? new Map<string, string>();
  texts.set(points, known);
  const key = `${start} ${until}`;
  const text =
    known.get(key) ??
    JSON.stringify(
      points
        .filter((point) => point.end > start && point.start < until)
        .map((point) => [point.start, point.price, point.estimate]),
    );
  known.set(key, text);
  return text;
}

/** Returns true if the plan uses price levels, whose thresholds may change. */
function judgesLevels(spec: PlanInput["spec"]): boolean {
  if (spec.kind === "below") return spec.level !== undefined;
  return spec.kind === "slots" && spec.cheapBelow !== undefined && "level" in spec.cheapBelow;
}

/** Plans the runs that have not begun. `missed`: a due run did not begin. */
export function replan(moment: PlanInput, memory: PlanRecord, missed: boolean): PlanRecord {
  return { ...plannedRuns(moment, memory, missed), madeFrom: inputFingerprint(moment, memory) };
}

/** Plans as `replan` does, but the result is not kept: it has no fingerprint. */
export function plannedRuns(moment: PlanInput, memory: PlanRecord, missed = false): PlanRecord {
  const { spec, after } = moment;
  const made: PlanRecord = { ...memory, planned: [], replanAt: null, madeFrom: null };
  if (memory.ended !== null || !spec.enabled) return { ...made, outcome: outcomeOfBegun(moment, memory) };
  const startedRuns = begunInRound(memory);
  const hasRun = spec.kind === "window" && startedRuns.length > 0;
  if (hasRun) return memory.owedMs > 0 ? madeUp(moment, made) : repriced(moment, made);
  if (isCharged(spec))
    return startedRuns.length > 0 ? repriced(moment, made) : { ...made, outcome: { kind: "charged" } };
  if (isChargeUnknown(spec) && startedRuns.length === 0 && "hoursMs" in spec && spec.hoursMs === 0)
    return { ...made, outcome: { kind: "charge_unknown" } };
  if (spec.kind === "slots" && lengthOf(startedRuns) >= (spec.upToMs ?? spec.hoursMs)) return repriced(moment, made);
  if (moment.machine === "absent") return { ...made, outcome: { kind: "waiting_for_machine" } };
  if (after.kind === "waiting") return { ...made, outcome: { kind: "waiting_for_plan", plan: after.plan } };
  const urgent = atOnceRun(moment, made);
  const fixed = urgent ? { ...made, startedRuns: [...made.startedRuns, { ...urgent, settled: false }] } : made;
  const { solution, ...wait } = solved(moment, fixed);
  const late = missed ? startedLate(moment, made, solution) : null;
  const next = withUrgent(late ?? withWait(planOf(moment, made, solution), wait), urgent);
  if (spec.kind !== "avoid" || !isUnpriced(moment)) return withFallback(moment, next);
  // It rests while the price is missing, and no due run begins late when it arrives.
  return withFallback(moment, { ...next, planned: next.planned.filter((run) => run.start > moment.now) });
}

/** Returns the run of a battery that is below its minimum: as soon as no begun run, other plan or holiday is in its way. */
function atOnceRun({ spec, now, blocked }: PlanInput, { startedRuns, window }: PlanRecord): PlanRun | null {
  const { atOnce } = (spec.kind === "slots" && spec.battery?.kind === "needs" && spec.battery) || { atOnce: null };
  if (!atOnce) return null;
  const { ms, from } = atOnce;
  const doneMs = lengthOf(startedRuns.flatMap((run) => clipped(run, { start: from, end: run.end }) ?? []));
  const closed = mergeRuns([...blocked, ...startedRuns]);
  const start = closed.find((other) => contains(other, now))?.end ?? now;
  const next = Math.min(...closed.filter((other) => other.start > start).map((other) => other.start), window.end);
  const end = Math.min(start + ms - doneMs, next);
  return start < end ? { start, end, basis: "at_once" } : null;
}

function withUrgent(memory: PlanRecord, urgent: PlanRun | null): PlanRecord {
  if (!urgent) return memory;
  const rest = memory.planned.flatMap((run) => without(run, [urgent]).map((left) => ({ ...run, ...left })));
  return { ...memory, planned: [urgent, ...rest].sort((a, b) => a.start - b.start) };
}

function withWait(memory: PlanRecord, { waits, replanAt }: Omit<Waiting, "solution">): PlanRecord {
  const { outcome } = memory;
  if (!waits || outcome.kind !== "solved") return memory;
  return { ...memory, outcome: { ...outcome, waits }, replanAt: replanAt ?? null };
}

/** A solution, and what it waits for. */
interface Waiting extends Pick<PlanOutcome & { readonly kind: "solved" }, "waits"> {
  readonly solution: PlanSolution;
  readonly replanAt?: EpochMs;
}

/**
 * Solves the plan on the known prices. While prices of its window are missing, known hours that are cheaper than the
 * estimates of the others are taken, and the plan waits for the rest, as long as it loses no hours if they never come.
 */
function solved(moment: PlanInput, memory: PlanRecord): Waiting {
  const { spec, now, calendar } = moment;
  const free = solveFrom(moment, memory);
  const missing = free.kind === "impossible" ? null : free.missing;
  if (!missing || !hasHours(spec)) return { solution: free };
  const due = overdueAt(calendar, missing.start);
  const until = due > now ? due : renewalAfter(now);
  if (!mayWait(moment, memory, free, { until, missing })) return { solution: free };
  const likely = solveFrom(moment, memory, { estimates: true });
  const isWhole = likely.kind === "solved" && !likely.missing && !likely.shortfall;
  const later = isWhole ? likely : solveFrom(moment, memory, { notBefore: until });
  if (later.kind !== "solved" || later.shortfall) return { solution: free };
  const { maxGapMs = Number.POSITIVE_INFINITY } = spec.kind === "slots" ? spec : {};
  if (firstStart(later, now) > (lastEnd(memory) ?? memory.window.start) + maxGapMs) return { solution: free };
  const isFirm = later.runs.every((run) => run.start < until && basisOf(pointsOf(moment), run) === "prices");
  const waits = { waits: { until: due, from: missing.start }, replanAt: until };
  return { solution: { ...later, missing }, ...(isFirm ? {} : waits) };
}

/**
 * Returns true if the known hours that are left at `until`, with the fallback hours after them, are enough or as many as
 * now, or if the prices of a later day come in time.
 */
function mayWait(
  moment: PlanInput,
  memory: PlanRecord,
  free: PlanSolution,
  { until, missing }: { readonly until: EpochMs; readonly missing: Interval },
): boolean {
  const { spec, now, calendar } = moment;
  const { window } = memory;
  const hoursMs = "hoursMs" in spec ? spec.hoursMs : 0;
  const nextDue = overdueAt(calendar, calendar.add("day", until, 2));
  if (nextDue + hoursMs <= window.end) return true;
  if (free.kind !== "solved") {
    if (now < overdueAt(calendar, missing.start)) return true;
    // Without prices, fallback hours and `when_lost` are what happens.
    if (spec.fallback || (isUnpriced(moment) && window.start <= now)) return false;
  }
  const fallbackMs = lengthOf(spansIn(spec.fallback ?? [], { start: missing.start, end: window.end }, calendar));
  const inAll = (ms: number) => (spec.kind === "window" ? Math.max(ms, fallbackMs) : ms + fallbackMs);
  const freeMs = msOf(free);
  const wantedMs = free.kind === "solved" ? freeMs : Math.min(hoursMs, inAll(freeMs));
  return inAll(msOf(solveFrom(moment, memory, { notBefore: until }))) >= wantedMs;
}

/** Returns the time that a solution runs, also if it is shorter than wanted. */
function msOf(solution: PlanSolution): number {
  const known = solution.kind === "no_prices" ? solution.partial : solution;
  return known?.kind === "solved" ? lengthOf(known.runs) : 0;
}

function firstStart({ runs }: PlanSolved, now: EpochMs): EpochMs {
  return runs.find(({ end }) => end > now)?.start ?? Number.POSITIVE_INFINITY;
}

function solveFrom(
  moment: PlanInput,
  memory: PlanRecord,
  { notBefore = 0, estimates }: { readonly notBefore?: EpochMs; readonly estimates?: true } = {},
): PlanSolution {
  const { spec, timeline, calendar, now, thresholds, finishBy, solve, blocked, after } = moment;
  const { window } = memory;
  if (!timeline) return { kind: "no_prices", missing: { start: Math.max(window.start, now), end: window.end } };
  const current = pointAt(timeline.points, now);
  const round = horizonOf(spec, now, calendar);
  const earliest = Math.max(
    // A window that was moved later during its occurrence.
    round && round.start < window.end ? round.start : 0,
    after.kind === "from" ? after.at : 0,
    notBefore,
    // Runs may be planned on estimates, but not begin on them.
    current?.estimate ? current.end : 0,
  );
  // An `avoid` plan rests ON, so it was ON before its first decision.
  const isFirst = spec.kind === "avoid" && memory.before.length === 0 && window.start < memory.since;
  const assumed = isFirst ? [{ start: window.start, end: memory.since }] : [];
  const rest = memory.restingSince === null ? [] : [{ start: memory.restingSince, end: now }];
  const startedRuns = spec.kind === "avoid" ? [...memory.startedRuns, ...rest] : begunInRound(memory);
  const context = {
    now,
    calendar,
    fixed: [...memory.before, ...assumed, ...startedRuns].map(({ start, end }) => ({ start, end })),
    blocked,
    ...(earliest > 0 ? { earliestStart: earliest } : {}),
    ...(thresholds ? { thresholds } : {}),
    ...(estimates ? { estimates } : {}),
  };
  if (finishBy !== null && window.start < finishBy && finishBy < window.end) {
    const early = solve(spec, timeline, { ...window, end: finishBy, until: finishBy }, context);
    if (early.kind === "solved" && !early.shortfall) return early;
  }
  return solve(spec, timeline, window, context);
}

function planOf(moment: PlanInput, memory: PlanRecord, solution: PlanSolution): PlanRecord {
  switch (solution.kind) {
    case "solved": {
      const planned = solution.runs
        .flatMap((run) => without(run, memory.startedRuns))
        .map((run) => ({ ...run, basis: basisOf(pointsOf(moment), run) }));
      const { kind, shortfall } = solution;
      // The solver counts in whole units.
      const meanPrice = solution.runs.length > 0 ? priceOfRuns(moment, solution.runs) : null;
      const little = tooLittleSaved(moment, memory, meanPrice, solution.runs);
      if (little) return { ...memory, ...(missingLater(moment, solution.missing) ?? { outcome: little }) };
      return { ...memory, planned, outcome: { kind, meanPrice: meanPrice ?? solution.meanPrice, shortfall } };
    }
    case "impossible":
      return { ...memory, outcome: solution };
    case "no_prices": {
      const from = solution.missing.start;
      const dueAt = overdueAt(moment.calendar, from);
      const replanAt = dueAt > moment.now ? dueAt : null;
      const isOverdue = replanAt === null && !moment.spec.fallback;
      const known = (isOverdue && solution.partial) || keepingGap(moment, memory, from);
      if (known) return { ...planOf(moment, memory, known), replanAt };
      return { ...memory, outcome: { kind: "missing", from, overdueAt: dueAt }, replanAt };
    }
  }
}

/** Returns the outcome of a plan that would save less than it should; null if it may run. A plan that has begun goes on. */
function tooLittleSaved(
  { spec, timeline }: PlanInput,
  memory: PlanRecord,
  meanPrice: number | null,
  runs: readonly Interval[] = [],
): PlanRecord["outcome"] | null {
  const { minSaving } = spec;
  if (!minSaving || meanPrice === null || begunInRound(memory).some(({ basis }) => basis !== "resting")) return null;
  const { windowStart: start, opensAt } = baselinesOf(memory, spec, timeline?.points ?? [], "all");
  const windowStart =
    start !== null && spec.kind === "avoid"
      ? priceOff({ start: opensAt, end: memory.window.end }, runs, start, meanPrice)
      : start;
  if (windowStart === null) return null;
  const least = "perKwh" in minSaving ? minSaving.perKwh : (Math.abs(windowStart) * minSaving.percent) / 100;
  if (windowStart - meanPrice >= least - ROUNDING) return null;
  return { kind: "saves_too_little", meanPrice, windowStart, opensAt };
}

/** Returns the mean price of the time OFF, from that of the window and of the time ON; null if it is never OFF. */
function priceOff(window: Interval, runs: readonly Interval[], mean: number, on: number): number | null {
  const [allMs, onMs] = [window.end - window.start, lengthOf(runs.flatMap((run) => clipped(run, window) ?? []))];
  return allMs > onMs ? (mean * allMs - on * onMs) / (allMs - onMs) : null;
}

/** Returns the outcome and the next planning while prices are missing that are still expected; null if none are. */
function missingLater(
  { calendar, now }: PlanInput,
  missing: Interval | null,
): Pick<PlanRecord, "outcome" | "replanAt"> | null {
  const dueAt = missing ? overdueAt(calendar, missing.start) : now;
  if (!missing || dueAt <= now) return null;
  return { outcome: { kind: "missing", from: missing.start, overdueAt: dueAt }, replanAt: dueAt };
}

/** Returns the fewest runs that keep `max_gap` until `end`, where prices are missing; null if that needs none. */
function keepingGap(moment: PlanInput, memory: PlanRecord, end: EpochMs): PlanSolved | null {
  const { spec, now } = moment;
  if (spec.kind !== "slots" || spec.maxGapMs === undefined || !moment.timeline || end <= now) return null;
  const { cheapBelow: _, ...fewest } = spec;
  const window = { ...memory.window, end, until: end };
  const solution = solveFrom(
    { ...moment, spec: { ...fewest, hoursMs: 0, upToMs: spec.hoursMs } },
    { ...memory, window },
  );
  if (solution.kind !== "solved" || firstStart(solution, now) === Number.POSITIVE_INFINITY) return null;
  const missingMs = Math.max(0, spec.hoursMs - lengthOf(solution.runs));
  return { ...solution, shortfall: missingMs > 0 ? { missingMs, reason: "no_prices" } : null };
}

/** Returns the outcome of an occurrence that a command began or ended: the price of its begun runs. */
function outcomeOfBegun(moment: PlanInput, { startedRuns }: PlanRecord): PlanRecord["outcome"] {
  if (startedRuns.length === 0) return { kind: "none" };
  return { kind: "solved", meanPrice: priceOfRuns(moment, startedRuns) };
}

/** Returns the record of an occurrence without further runs, with the price of its runs at the current prices. */
function repriced(moment: PlanInput, memory: PlanRecord): PlanRecord {
  const { outcome } = memory;
  const meanPrice = priceOfRuns(moment, begunInRound(memory));
  if (outcome.kind !== "solved" || meanPrice === null || meanPrice === outcome.meanPrice) return memory;
  return { ...memory, outcome: { ...outcome, meanPrice } };
}

/** Returns the mean price of runs, a single one of a `window` by its profile; null if a part has no price. */
export function priceOfRuns(moment: PlanInput, runs: readonly Interval[]): number | null {
  const { spec } = moment;
  const [first] = runs;
  const points = pointsOf(moment);
  if (spec.kind === "window" && runs.length === 1 && first) return runPrice(points, first, "all", spec.profile);
  return meanOver(runs, points);
}

/** Starts a missed run now if its whole length still fits and no later run is cheaper; otherwise returns null. */
function startedLate(moment: PlanInput, memory: PlanRecord, solution: PlanSolution): PlanRecord | null {
  const { spec, now, blocked, after } = moment;
  if (spec.kind !== "window" || now < memory.window.start) return null;
  const run = { start: now, end: now + spec.hoursMs };
  const points = pointsOf(moment);
  const price = runPrice(points, run, "all", spec.profile);
  const current = pointAt(points, now);
  if (price === null || current === null || current.estimate || run.end > memory.window.end) return null;
  if (basisOf(points, run) === "estimates") return null;
  if (spec.maxPrice !== undefined && price > spec.maxPrice) return null;
  if (tooLittleSaved(moment, memory, price)) return null;
  if (blocked.some((other) => overlaps(other, run)) || (after.kind === "from" && now < after.at)) return null;
  if (solution.kind === "solved" && (solution.meanPrice ?? price) < price) return null;
  const planned = [{ ...run, basis: basisOf(points, run) }];
  return { ...memory, planned, outcome: { kind: "solved", meanPrice: price } };
}

/** Continues an interrupted run at once, at any price, at most to the window's end, or waits for the next renewal. */
function madeUp(moment: PlanInput, memory: PlanRecord): PlanRecord {
  const { now, blocked } = moment;
  const { window, startedRuns, owedMs, outcome } = memory;
  const run = { start: now, end: Math.min(now + owedMs, window.end) };
  const points = pointsOf(moment);
  const current = pointAt(points, now);
  const hasRun = repriced(moment, memory);
  const later = { ...hasRun, replanAt: renewalAfter(now) };
  if (now >= window.end || startedRuns.some(({ end }) => end > now)) return hasRun;
  if (current === null || current.estimate || blocked.some((other) => overlaps(other, run))) return later;
  const planned = [{ ...run, basis: basisOf(points, run) }];
  if (outcome.kind !== "solved") return { ...memory, planned };
  return { ...memory, planned, outcome: { ...outcome, meanPrice: meanOver([...startedRuns, run], points) } };
}

/** Returns the mean price of several runs; null without runs or if a part has no price. */
function meanOver(runs: readonly Interval[], points: readonly PricePoint[]): number | null {
  let sum = 0;
  for (const run of runs) {
    const price = runPrice(points, run, "all");
    if (price === null) return null;
    sum += price * (run.end - run.start);
  }
  return runs.length > 0 ? sum / lengthOf(runs) : null;
}

function withFallback(moment: PlanInput, memory: PlanRecord): PlanRecord {
  const { spec, now, calendar, blocked, after } = moment;
  const missing = memory.outcome.kind === "missing" && now >= memory.outcome.overdueAt;
  const inWindow = memory.window.start <= now && now < memory.window.end;
  const unpriced = inWindow && isUnpriced(moment);
  if (!spec.fallback || !(missing || unpriced)) return memory;
  const earliest = Math.max(now, after.kind === "from" ? after.at : now);
  const others = [...blocked, ...memory.startedRuns];
  const planned = spansIn(spec.fallback, memory.window, calendar)
    .flatMap((run) => clipped(run, { start: earliest, end: run.end }) ?? [])
    .flatMap((run) => without(run, others))
    .map((run): PlanRun => ({ ...run, basis: "fallback" }));
  if (planned.length === 0) return memory;
  const from = memory.outcome.kind === "missing" ? memory.outcome.from : now;
  return { ...memory, planned, outcome: { kind: "missing", from, overdueAt: now } };
}

function basisOf(points: readonly PricePoint[], run: Interval): PlanBasis {
  return points.some((point) => point.estimate && overlaps(point, run)) ? "estimates" : "prices";
}

function pointsOf({ timeline }: PlanInput): readonly PricePoint[] {
  return timeline?.points ?? [];
}

/** Returns a 64-bit FNV-1a hash in two lanes, enough to distinguish the few hundred inputs of a plan. */
export function hash(text: string): string {
  return [fnv1a(text), fnv1a(text, 0x9747b28c, 0x85ebca6b)].map((lane) => (lane >>> 0).toString(16)).join("");
}
