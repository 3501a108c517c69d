/** Queries of small devices for cheap times. Each is remembered, so that the same query gets consistent answers. */

import * as z from "zod/mini";
import type { Language } from "../core/language/language.ts";
import { askCheap, type CheapSpec, type CheapState, cheapIsKnown, cheapKey } from "../core/planning/cheap-query.ts";
import type { PlanDefinition } from "../core/planning/model/plan-definition.ts";
import { newRecord, type PlanRecord } from "../core/planning/plan-record.ts";
import { planReasonOf } from "../core/planning/snapshot/plan-reason.ts";
import { type PlanSnapshot, planSnapshot } from "../core/planning/snapshot/plan-snapshot.ts";
import type { Timeline } from "../core/prices/timeline.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import type { Calendar } from "../core/time/calendar.ts";
import type { EpochMs, Interval } from "../core/time/interval.ts";

/** A home or a third-party place. */
export interface Priced {
  readonly kind: "home" | "place";
  readonly id: string;
  readonly name: string;
}

export interface CheapAnswer {
  /** False if the answer is unknown and OFF is only the safe state. */
  readonly isKnown: boolean;
  readonly plan: PlanSnapshot;
  readonly window: Interval | null;
  /** When the answer changes by itself; null if never. */
  readonly until: EpochMs | null;
}

export interface CheapQueriesDeps {
  readonly calendar: Calendar;
  readonly memory: KeyValue;
  readonly isTimeTrusted: (now: EpochMs) => boolean;
  /** Language of the reasons; English by default. */
  readonly language?: Language;
}

/** Maximum number of remembered queries; a household has a few. The one unused for the longest time is dropped. */
const MAX_QUERIES = 64;
const NAME = "cheap_questions";
/** A query has no history of its own. */
const NO_MONTH = {
  start: 0,
  runs: 0,
  hours: 0,
  cost: null,
  saving: { againstNow: null, againstWindowStart: null, againstMean: null },
};
const NO_HISTORY = { month: NO_MONTH, monthBefore: NO_MONTH, lastRun: null };

/** Started runs of a query in its window. `runs` is ascending. */
const storedQuery = z.object({
  question: z.string(),
  start: z.number(),
  end: z.number(),
  since: z.number(),
  runs: z.array(z.object({ start: z.number(), end: z.number() })),
});
type StartedQuery = Readonly<z.infer<typeof storedQuery>>;

export class CheapQueries {
  readonly #deps: CheapQueriesDeps;
  /** States by query, the most recent last. */
  readonly #states = new Map<string, CheapState>();
  /** Runs that were started before the daemon's restart, by query. Bounded by MAX_QUERIES. */
  readonly #started: Map<string, StartedQuery>;

  constructor(deps: CheapQueriesDeps) {
    this.#deps = deps;
    this.#started = new Map(
      (readJson(deps.memory, NAME, z.array(storedQuery)) ?? []).map((each) => [each.question, each]),
    );
  }

  ask(subject: Priced, timeline: Timeline | null, spec: CheapSpec, now: EpochMs): CheapAnswer {
    const { calendar, isTimeTrusted, language = "en" } = this.#deps;
    const key = cheapKey(subject.id, spec);
    const moment = { spec, now, timeline, calendar, trusted: isTimeTrusted(now) };
    const before = this.#states.get(key) ?? null;
    const started = this.#started.get(key);
    const state = askCheap(moment, before, started ? memoryOf(started) : null);
    this.#started.delete(key);
    this.#remember(key, state);
    if (startedText(before?.advance.memory) !== startedText(state.advance.memory)) this.#keep(now);
    const { advance } = state;
    const currency = timeline?.currency ?? null;
    const reason = planReasonOf({
      spec,
      advance,
      now,
      calendar,
      trusted: moment.trusted,
      currency,
      home: null,
      language,
    });
    const { id: home, name } = subject;
    const definition: PlanDefinition = { id: "cheap", name, home, spec, after: null };
    return {
      isKnown: cheapIsKnown(moment, advance),
      plan: planSnapshot({ definition, spec, advance, reason, currency, history: NO_HISTORY, refused: null, now }),
      window: advance.memory?.window ?? null,
      until: advance.running?.end ?? advance.nextChangeAt,
    };
  }

  #remember(key: string, state: CheapState): void {
    this.#states.delete(key);
    this.#states.set(key, state);
    if (this.#states.size <= MAX_QUERIES) return;
    const idle = [...this.#states].find(([, { advance }]) => advance.running === null)?.[0];
    const oldest = this.#states.keys().next().value;
    this.#states.delete(idle !== undefined && idle !== key ? idle : (oldest ?? key));
  }

  /** Stores the started runs only. Everything else is planned again with the same result. */
  #keep(now: EpochMs): void {
    const begun = [...this.#states].flatMap(([question, { advance }]) => startedIn(question, advance.memory));
    const started = [...this.#started.values(), ...begun].filter(({ end }) => end > now);
    this.#deps.memory.write(NAME, JSON.stringify(started.slice(-MAX_QUERIES)));
  }
}

function startedIn(question: string, memory: PlanRecord | null): StartedQuery[] {
  if (!memory || memory.startedRuns.length === 0) return [];
  const { window, since, startedRuns } = memory;
  const runs = startedRuns.map(({ start, end }) => ({ start, end }));
  return [{ question, start: window.start, end: window.end, since, runs }];
}

function memoryOf({ start, end, since, runs }: StartedQuery): PlanRecord {
  const started = runs.map((run) => ({ ...run, basis: "prices" as const, settled: false }));
  return { ...newRecord({ start, end, until: end }, since, []), startedRuns: started };
}

/** Returns the started runs as a text for comparison. */
function startedText(memory: PlanRecord | null | undefined): string {
  return (memory?.startedRuns ?? []).map(({ start, end }) => `${start}-${end}`).join();
}
