/** Compares, at the end of each test, what a simulator received from daemons with their request logs. */
import { deepStrictEqual } from "node:assert";
import { appendFileSync, existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { DAY_MS } from "../../../src/core/time/interval.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { nameAt, sourceOf } from "../../../src/storage/data-source.ts";
import { databasePathIn } from "../../../src/storage/open-storage.ts";
import { currentTest } from "../runner/current-test.ts";

/** Days after which the request log may forget an attempt. */
const KEPT_DAYS = 90;

/** Tests whose request log cannot be compared, by a part of their file and name, with the reason. */
const EXCEPTIONS: readonly (readonly [test: string, reason: string])[] = [
  ["flow/storage/damaged-data.test.ts", "the tests destroy databases, and the request log with them"],
  ["restored elsewhere, keeps prices and keys", "the test deletes the data directory and restores an earlier copy"],
  ["flow/api/backup-and-log.test.ts", "an uploaded earlier copy replaces the log and marks it as incomplete"],
  ["sets aside what came last", "an uploaded earlier copy replaces the log and marks it as incomplete"],
  ["a deleted database file is detected", "the test deletes the data directory"],
  ["a version that did not know its source", "the database has requests of an earlier version"],
];

interface Row {
  readonly requestId: string | null;
  /** Whether it is in the log for the simulator's service. */
  readonly isOfService: boolean;
}

/**
 * Throws if a request of a daemon has no row in the databases of these data directories, or if a row of the simulator's
 * service has a response that it did not send. Further rows ended without a response. Call it when no daemon uses the
 * databases.
 */
export function compareRequests(simulator: Pick<Simulator, "answered" | "url">, dataDirs: Iterable<string>): void {
  const test = currentTest();
  if (EXCEPTIONS.some(([name]) => test.includes(name))) return;
  const all = simulator.answered().filter(({ userAgent }) => userAgent.startsWith("elbro/"));
  const since = (all.at(-1)?.at ?? 0) - KEPT_DAYS * DAY_MS;
  const received = all.filter(({ at }) => at > since);
  const rows = [...dataDirs].flatMap((dataDir) => rowsIn(databasePathIn(dataDir), simulator.url));
  const logged = new Map<string | null, number>();
  for (const { requestId } of rows) logged.set(requestId, (logged.get(requestId) ?? 0) + 1);
  const unmatched = received.filter(({ requestId }) => !logged.has(requestId));
  const ids = new Set<string | null>([null, ...all.map(({ requestId }) => requestId)]);
  const found = {
    unlogged: Math.max(0, unmatched.length - (logged.get(null) ?? 0)),
    twice: [...logged].filter(([id, count]) => id !== null && count > 1).map(([id]) => id),
    neverReceived: rows.filter(({ requestId, isOfService }) => isOfService && !ids.has(requestId)).length,
  };
  const wanted = { unlogged: 0, twice: [], neverReceived: 0 };
  deepStrictEqual(found, wanted, `requests received and logged (${test}): ${JSON.stringify(found)}`);
  const { ELBRO_COMPARED: report } = process.env;
  if (report) appendFileSync(report, `${received.length}\t${rows.length}\t${test}\n`);
}

/** Returns the rows of a request log; none without a database. */
function rowsIn(file: string, url: string): Row[] {
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file);
  const source = sourceOf(url, false);
  const stored = database.prepare("select value from setting where name = 'source'").get()?.value;
  const rows = database.prepare("select account, request_id from attempt where status is not -1").all();
  database.close();
  return rows.map(({ account, request_id }) => ({
    requestId: request_id === null ? null : String(request_id),
    isOfService: String(account).includes("/") ? String(account).startsWith(nameAt(source, "")) : stored === source,
  }));
}
