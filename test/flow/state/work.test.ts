/**
 * Counts the work of a daemon with one home and with ten, which a busy machine does not change. `test/golden/work.json`
 * has the numbers, and `GOLDEN=update npm test -- state/work` rewrites it: a commit that makes one larger says why.
 */
import { beforeAll, expect, test } from "vitest";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { expectGolden, goldenJson, IS_UPDATE, writeGolden } from "../../support/golden/golden-files.ts";
import { CallCounts, type Counted } from "../../support/runner/call-counts.ts";
import { StatementCounts } from "../../support/runner/statement-counts.ts";

/**
 * Functions whose calls do not depend on how the event loop divides the work: slices of 10 ms and the number of daemon
 * states and disk writes between them do.
 */
const COUNTED: Counted = {
  "chunk reads": { file: "storage/series/chunk-table.ts", functions: ["texts", "joined"] },
  inflations: { file: "storage/series/chunk-text.ts", functions: ["inflated"] },
  "row lists parsed": { file: "storage/series/chunk-text.ts", functions: ["rowsOfText"] },
  "settings read": { file: "storage/key-value-store.ts", functions: ["read"] },
  "settings written": { file: "storage/key-value-store.ts", functions: ["write"] },
  "runs read": { file: "storage/plan-store.ts", functions: ["lastRuns", "totals"] },
  "plans decided": { file: "plans/plans.ts", functions: ["#decide"] },
  "months computed": { file: "core/prices/month-figures.ts", functions: ["monthFigures"] },
  "days computed": { file: "core/prices/home-snapshot.ts", functions: ["readDay"] },
  "moments computed": { file: "core/prices/home-snapshot.ts", functions: ["homeSnapshot"] },
  "cheapest hours computed": { file: "core/prices/cheapest.ts", functions: ["cheapestHours"] },
  "lists of prices as text": { file: "mqtt/topics/home-topics.ts", functions: ["pricesOf", "forecastOf"] },
  "lists of sold prices as text": { file: "core/prices/formats/predbat.ts", functions: ["predbatAttributes"] },
  "usage as text": { file: "mqtt/topics/usage-topics.ts", functions: ["usageState"] },
  "home states": { file: "mqtt/state-publisher.ts", functions: ["home"] },
  "plan states": { file: "mqtt/state-publisher.ts", functions: ["#planPart"] },
  "documents as text": { file: "mqtt/homeassistant/discovery.ts", functions: ["announce"] },
};

/** Counts of a start that depend on how the event loop divides it: a setting may be written once more. They are bounded below. */
const NOT_GOLDEN_AT_START = new Set([
  "settings read",
  "settings written",
  "statements prepared",
  "statements run",
  "bytes stored",
]);
const MAX_START = { prepared: 50, statementsPerHome: 175 };
/** JSON texts at a boundary. How often the daemon publishes its own state depends on the event loop, so they are not golden. */
const TEXTS = "JSON texts";
const MAX_TEXTS = { perHome: 17, ofDaemon: 150 };

type Work = Readonly<Record<string, number>>;
type Phases = Readonly<Record<string, Work>>;

const START = Date.parse("2025-10-21T11:50:00Z");
/** No request to the service is due around it. One plan of each home starts at this boundary. */
const BOUNDARY = Date.parse("2025-10-21T14:45:00Z");
const SECOND_MS = 1_000;
const HOMES = [1, 10] as const;
const KEY = "demo-consumer-key-of-an-invented-household";
const plan = { name: "Boiler", kind: "window", hours: 2, from: "16:45", ready_by: "18:45", kwh: 3 } as const;

function configOf(homes: number) {
  const all = Array.from({ length: homes }, (_, i) => i + 1);
  return {
    consumer: all.map((n) => ({ name: `account-${n}`, api_key: n === 1 ? KEY : `${KEY}-${n}` })),
    plans: all.map((n) => ({ ...plan, id: `boiler-${n % 10}`, home: n === 1 ? "home" : `home_${n}` })),
  };
}

async function workOf(homes: number): Promise<Phases> {
  await using daemon = await TestDaemon.start({
    start: START,
    simulator: { homes: ["danish"], accounts: homes },
    config: configOf(homes),
  });
  await daemon.clock.runUntil(BOUNDARY - 10 * MINUTE_MS);
  await using counts = await CallCounts.start(COUNTED);
  using statements = new StatementCounts();
  const measured: Record<string, Work> = {};
  const measure = async (phase: string, work: () => Promise<unknown>) => {
    await counts.take();
    statements.take();
    const { watcher } = daemon;
    const requests = daemon.simulator.answered().length;
    const known = watcher.seen.length;
    await work();
    // How often a start publishes depends on the machine: a value may follow after the first message of its topic.
    const heard = daemon.watcher === watcher ? watcher.seen.slice(known).filter(isOfHome) : [];
    if (phase === "boundary")
      order.set(
        homes,
        heard.map(({ topic }) => topic),
      );
    measured[phase] = {
      requests: daemon.simulator.answered().length - requests,
      messages: heard.length,
      "message bytes": heard.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0),
      ...(await counts.take()),
      ...statements.take(),
    };
  };
  const run = (until: number) => async () => {
    await daemon.clock.runUntil(until);
    await daemon.watcher.quiet();
  };
  await measure("start", async () => {
    await daemon.restart();
    await run(daemon.clock.now() + SECOND_MS)();
  });
  await run(BOUNDARY - SECOND_MS)();
  await measure("boundary", run(BOUNDARY + SECOND_MS));
  await run(BOUNDARY + MINUTE_MS)();
  await measure("idle minute", run(BOUNDARY + 2 * MINUTE_MS));
  const ask = (target: string) => async () => void (await (await daemon.request(target)).text());
  await measure("first answer", ask("/local/v1/now?home=home"));
  await measure("answer", ask("/local/v1/now?home=home"));
  return measured;
}

/** The daemon's own topics change with its requests. */
function isOfHome({ topic }: { readonly topic: string }): boolean {
  return topic.startsWith("elbro/home") || /^homeassistant\/device\/elbro_home/.test(topic);
}

const measured = new Map<number, Phases>();
/** Topics of the boundary, as they arrived. */
const order = new Map<number, readonly string[]>();

beforeAll(async () => {
  for (const homes of HOMES) measured.set(homes, await workOf(homes));
  if (IS_UPDATE) writeGolden("work.json", written());
});

function written(): string {
  const golden = (phase: string, work: Work) =>
    Object.entries(work).filter(
      ([name, count]) => count > 0 && name !== TEXTS && !(phase === "start" && NOT_GOLDEN_AT_START.has(name)),
    );
  const shown = (phases: Phases) =>
    Object.fromEntries(Object.entries(phases).map(([phase, work]) => [phase, Object.fromEntries(golden(phase, work))]));
  return goldenJson(Object.fromEntries([...measured].map(([homes, phases]) => [`homes: ${homes}`, shown(phases)])));
}

test("the work of a start, a boundary, an idle minute and an answer is that of the golden file", () => {
  expectGolden("work.json", written(), "flow/state/work");
});

test("the work of a home does not grow with the number of homes", () => {
  const [one, many] = HOMES.map((homes) => measured.get(homes) ?? {});
  const grown = Object.entries(many ?? {}).flatMap(([phase, work]) =>
    Object.entries(work)
      .filter(([name, count]) => name !== TEXTS && count > HOMES[1] * (one?.[phase]?.[name] ?? 0))
      .map(([name, count]) => [phase, name, count]),
  );
  expect(grown).toEqual([]);
});

test("a start prepares each statement once, and reads the states of days together", () => {
  for (const [homes, { start = {} }] of measured) {
    expect(start["statements prepared"]).toBeLessThanOrEqual(MAX_START.prepared);
    expect(start["statements run"]).toBeLessThanOrEqual(MAX_START.statementsPerHome * homes);
  }
});

test("at a boundary, a home makes a bounded number of JSON texts", () => {
  for (const [homes, { boundary = {} }] of measured)
    expect(boundary[TEXTS]).toBeLessThanOrEqual(MAX_TEXTS.perHome * homes + MAX_TEXTS.ofDaemon);
});

test("at a boundary and in an idle minute, nothing is read from stored chunks", () => {
  for (const phases of measured.values())
    for (const phase of ["boundary", "idle minute"])
      expect(phases[phase]).toMatchObject({ "chunk reads": 0, inflations: 0, "months computed": 0, requests: 0 });
});

test("at a boundary, the prices of all homes go out first, then all plans, then the rest", () => {
  for (const topics of order.values()) {
    const at = (pattern: RegExp) => topics.flatMap((topic, i) => (pattern.test(topic) ? i : []));
    const [prices, plans, rest] = [at(/\/price$/), at(/\/plan\/[^/]+$/), at(/\/(price|plan\/[^/]+)\/state$/)];
    expect([prices, plans, rest].map(({ length }) => length > 0)).toEqual([true, true, true]);
    expect(Math.max(...prices)).toBeLessThan(Math.min(...plans));
    expect(Math.max(...plans)).toBeLessThan(Math.min(...rest));
  }
});
