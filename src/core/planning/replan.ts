/** Plans the runs that have not begun, again only when prices, settings or other plans have changed. */

import type { PricePoint } from "../prices/timeline.ts";
import type { EpochMs, Interval } from "../time/interval.ts";
import { overlaps } from "../time/interval.ts";
import type { PlanSolution, PlanSolved } from "./model/plan-spec.ts";
import { fallbackRuns } from "./model/plan-windows.ts";
import { isUnpriced, overdueAt, type PlanInput, pointAt } from "./plan-input.ts";
import { lengthOf, renewalAfter } from "./plan-interruption.ts";
import { begunInRound, type PlanBasis, type PlanRecord, type PlanRun, without } from "./plan-record.ts";
import { energyOf, runPrice } from "./plan-savings.ts";

/**
 * Returns a fingerprint of the input of a plan. The plan is kept while it is the same. With a tolerance, the best
 * remaining start would otherwise move as time passes.
 */
export function inputFingerprint(moment: PlanInput, memory: PlanRecord): string {
  const { spec, group, blocked, after, finishBy, thresholds, machine } = moment;
  const { window, ended } = memory;
  const points = pointsOf(moment).filter((point) => point.end > window.start && point.start < window.until);
  const known = points.map(({ start, price, estimate }) => [start, price, estimate]);
  const priced = isUnpriced(moment) ? "unpriced" : "priced";
  const own = group?.blocked ?? blocked;
  const judged = [...(judgesLevels(spec) ? [thresholds] : []), ...(machine === "absent" ? [machine] : [])];
  const made = hash(
    JSON.stringify([spec, window, ended, own, after, finishBy, known, spec.fallback ? priced : "", ...judged]),
  );
  return group ? `${made}/${group.token}` : made;
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
  if (hasRun) return memory.owedMs > 0 ? madeUp(moment, made) : { ...made, outcome: repriced(moment, made) };
  if (spec.kind === "slots" && lengthOf(startedRuns) >= (spec.upToMs ?? spec.hoursMs)) return made;
  if (moment.machine === "absent") return { ...made, outcome: { kind: "waiting_for_machine" } };
  if (after.kind === "waiting") return { ...made, outcome: { kind: "waiting_for_plan", plan: after.plan } };
  const solution = solved(moment, made);
  const late = missed ? startedLate(moment, made, solution) : null;
  const next = late ?? planOf(moment, made, solution);
  return withFallback(moment, spec.kind === "avoid" && isUnpriced(moment) ? withoutDue(next, moment.now) : next);
}

/** Drops due runs: an `avoid` plan rests while the price is missing, and no run begins late when it arrives. */
function withoutDue(memory: PlanRecord, now: EpochMs): PlanRecord {
  return { ...memory, planned: memory.planned.filter((run) => run.start > now) };
}

/** Solves the plan, with starts after the missing prices are expected if that leaves enough time. */
function solved(moment: PlanInput, memory: PlanRecord): PlanSolution {
  const free = solveFrom(moment, memory, null);
  const waits = moment.spec.kind === "window" || moment.spec.kind === "slots";
  if (free.kind !== "solved" || !free.missing || !waits) return free;
  const expectedAt = overdueAt(moment.calendar, free.missing.start);
  if (expectedAt <= moment.now) return free;
  const held = solveFrom(moment, memory, expectedAt);
  return held.kind === "solved" && !held.shortfall ? held : free;
}

function solveFrom(moment: PlanInput, memory: PlanRecord, notBefore: EpochMs | null): PlanSolution {
  const { spec, timeline, calendar, now, thresholds, finishBy, solve, blocked, after } = moment;
  const { window } = memory;
  if (!timeline) return { kind: "no_prices", missing: { start: Math.max(window.start, now), end: window.end } };
  const current = pointAt(timeline.points, now);
  const earliest = Math.max(
    after.kind === "from" ? after.at : 0,
    notBefore ?? 0,
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
      const { kind, meanPrice, cost, alternatives, usesEstimates, shortfall } = solution;
      const startedNowAt = Math.max(moment.now, memory.window.start);
      return {
        ...memory,
        planned,
        outcome: { kind, meanPrice, cost, alternatives, usesEstimates, shortfall, startedNowAt },
      };
    }
    case "impossible":
      return { ...memory, outcome: solution };
    case "no_prices": {
      const from = solution.missing.start;
      const dueAt = overdueAt(moment.calendar, from);
      if (dueAt <= moment.now && solution.partial && !moment.spec.fallback)
        return planOf(moment, memory, solution.partial);
      const replanAt = dueAt > moment.now ? dueAt : null;
      return { ...memory, outcome: { kind: "missing", from, overdueAt: dueAt }, replanAt };
    }
  }
}

const UNCOMPARED: PlanSolved["alternatives"] = { nextBest: null, startedNow: null, windowMean: null };

/** Returns the outcome of an occurrence that a command began or ended: the cost of its begun runs. */
function outcomeOfBegun(moment: PlanInput, memory: PlanRecord): PlanRecord["outcome"] {
  const { spec } = moment;
  const { startedRuns } = memory;
  if (startedRuns.length === 0) return { kind: "none" };
  const [first] = startedRuns;
  const whole = spec.kind === "window" && startedRuns.length === 1 && first;
  const points = pointsOf(moment);
  const meanPrice = whole ? runPrice(points, whole, "all", spec.profile) : meanOver(startedRuns, points);
  const kwh = energyOf(spec, lengthOf(startedRuns), memory);
  const cost = kwh === null || meanPrice === null ? null : kwh * meanPrice;
  const solution = { meanPrice, cost, alternatives: UNCOMPARED, usesEstimates: false };
  return { kind: "solved", ...solution, startedNowAt: first?.start ?? moment.now };
}

/** Returns the outcome of a run that has begun, at the prices as they are now. */
function repriced(moment: PlanInput, memory: PlanRecord): PlanRecord["outcome"] {
  const { outcome } = memory;
  const begun = outcomeOfBegun(moment, memory);
  if (outcome.kind !== "solved" || begun.kind !== "solved" || begun.meanPrice === null) return outcome;
  return { ...outcome, meanPrice: begun.meanPrice, cost: begun.cost };
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
  if (!spec.useForecast && basisOf(points, run) === "estimates") return null;
  if (spec.maxPrice !== undefined && price > spec.maxPrice) return null;
  if (blocked.some((other) => overlaps(other, run)) || (after.kind === "from" && now < after.at)) return null;
  if (solution.kind === "solved" && (solution.meanPrice ?? price) < price) return null;
  const alternatives = solution.kind === "solved" ? solution.alternatives : { ...UNCOMPARED, startedNow: price };
  const basis = basisOf(points, run);
  const cost = spec.kwh === undefined ? null : price * spec.kwh;
  const late = { meanPrice: price, cost, alternatives, usesEstimates: basis === "estimates" };
  return { ...memory, planned: [{ ...run, basis }], outcome: { kind: "solved", ...late, startedNowAt: now } };
}

/**
 * Continues an interrupted run at once, until the end of the window at most, at any price. Waits for the next renewal if
 * another plan blocks it or the current price is unknown.
 */
function madeUp(moment: PlanInput, memory: PlanRecord): PlanRecord {
  const { spec, now, blocked } = moment;
  const { window, startedRuns, owedMs, outcome } = memory;
  const run = { start: now, end: Math.min(now + owedMs, window.end) };
  const points = pointsOf(moment);
  const current = pointAt(points, now);
  const later = { ...memory, replanAt: renewalAfter(now) };
  if (now >= window.end || startedRuns.some(({ end }) => end > now)) return memory;
  if (current === null || current.estimate || blocked.some((other) => overlaps(other, run))) return later;
  const planned = [{ ...run, basis: basisOf(points, run) }];
  if (outcome.kind !== "solved") return { ...memory, planned };
  const meanPrice = meanOver([...startedRuns, run], points);
  const cost = spec.kwh !== undefined && meanPrice !== null ? spec.kwh * meanPrice : null;
  return { ...memory, planned, outcome: { ...outcome, meanPrice, cost } };
}

/** Returns the mean price of several runs; null if a part has no price. */
function meanOver(runs: readonly Interval[], points: readonly PricePoint[]): number | null {
  let sum = 0;
  for (const run of runs) {
    const price = runPrice(points, run, "all");
    if (price === null) return null;
    sum += price * (run.end - run.start);
  }
  return sum / lengthOf(runs);
}

/** Uses the fallback hours if the prices are overdue. */
function withFallback(moment: PlanInput, memory: PlanRecord): PlanRecord {
  const { spec, now, calendar, blocked, after } = moment;
  const missing = memory.outcome.kind === "missing" && now >= memory.outcome.overdueAt;
  const inWindow = memory.window.start <= now && now < memory.window.end;
  const unpriced = inWindow && isUnpriced(moment);
  if (!spec.fallback || !(missing || unpriced)) return memory;
  const earliest = Math.max(now, after.kind === "from" ? after.at : now);
  const others = [...blocked, ...memory.startedRuns];
  const planned = fallbackRuns(spec, memory.window, calendar)
    .map((run) => ({ start: Math.max(run.start, earliest), end: run.end }))
    .filter((run) => run.start < run.end)
    .flatMap((run) => without(run, others))
    .map((run): PlanRun => ({ ...run, basis: "fallback" }));
  if (planned.length === 0) return memory;
  const from = memory.outcome.kind === "missing" ? memory.outcome.from : now;
  return { ...memory, planned, outcome: { kind: "missing", from, overdueAt: now } };
}

/** Returns whether a run is based on confirmed prices or on an estimate. */
function basisOf(points: readonly PricePoint[], run: Interval): PlanBasis {
  return points.some((point) => point.estimate && overlaps(point, run)) ? "estimates" : "prices";
}

function pointsOf({ timeline }: PlanInput): readonly PricePoint[] {
  return timeline?.points ?? [];
}

/** Returns a 64-bit FNV-1a hash in two lanes, enough to distinguish the few hundred inputs of a plan. */
export function hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return `${(a >>> 0).toString(16)}${(b >>> 0).toString(16)}`;
}
