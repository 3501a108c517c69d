import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { demoHomes } from "../../../src/simulator/homes.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { SmallDisk } from "../../support/storage/small-disk.ts";

const NOON = Date.parse("2026-03-10T11:00:00Z");
/** 19:00 local time. Today's prices are stored; tomorrow's are due since 13:02. */
const EVENING = Date.parse("2026-03-10T18:00:00Z");

const codesOf = (daemon: TestDaemon) =>
  (daemon.watcher.json("elbro/info").problems as { code: string }[]).map(({ code }) => code);

const codeIn = async (answer: Response) => ((await answer.json()) as { errorCode: string }).errorCode;

const consumption = (addressId: string) => `/consumer/v1/me/addresses/${addressId}/consumption`;
/** Longest allowed range; in whole days it is longer than the service accepts at a time. */
const YEAR_BEFORE = "from=2022-01-01T12:30:00Z&to=2023-01-02T12:30:00Z&aggregation=hour";

/** Simulates an afternoon in which nothing can be written, and the time after it. */
async function afternoon(daemon: TestDaemon, code: string, fill: () => void, free: () => void): Promise<void> {
  const { clock, watcher, simulator } = daemon;
  await clock.runUntil(NOON + 30 * MINUTE_MS);
  fill();
  await clock.runUntil(EVENING - 2 * HOUR_MS);
  await watcher.until(() => codesOf(daemon).includes(code), `the problem ${code}`);
  const asked = simulator.answered().length;
  expect(asked).toBeGreaterThan(0);
  await clock.runUntil(EVENING);
  const shown = () => watcher.json("elbro/home/price/state").start;
  await watcher.until(() => shown() === "2026-03-10T18:00:00Z", "the price of 18:00");
  expect(simulator.answered().length).toBe(asked);
  expect((await daemon.request("/local/v1/prices")).status).toBe(200);
  // Data that was never requested cannot be requested now; the reason is not the quota.
  const never = await daemon.request(`${consumption(demoHomes.danish.address.id)}?${YEAR_BEFORE}`);
  expect([never.status, await codeIn(never)]).toEqual([503, "entitlement_unavailable"]);
  free();
  await clock.runUntil(EVENING + 2 * HOUR_MS);
  await watcher.until(() => watcher.json("elbro/home/prices").tomorrow_valid === true, "tomorrow's prices");
  await watcher.until(() => !codesOf(daemon).includes(code), `the end of ${code}`);
  const ended = daemon.log.filter(({ text }) => text === "problem ended").map(({ facts }) => facts);
  expect(ended).toContainEqual({ code, subject: "disk" });
  await daemon.stop();
  using database = new DatabaseSync(daemon.dir.file("elbro.db"));
  const { spent } = database.prepare("select count(*) as spent from attempt").get() ?? {};
  expect(simulator.answered().length).toBe(spent);
}

test("a full disk keeps all prices and sends no requests; with free space everything continues", async (context) => {
  using disk = SmallDisk.mount(8);
  if (!disk) return context.skip("this user may not mount a file system");
  // After a long back-fill the write-ahead log has free space, which would hide the first hours of a full disk.
  const config = { history: { months: 1 } };
  const simulator = { homes: ["danish"] } as const;
  await using daemon = await TestDaemon.start({ start: NOON, dir: disk.dir, simulator, config });
  await afternoon(
    daemon,
    "disk_full",
    () => disk.fill(),
    () => disk.free(),
  );
});

test("a database that cannot be written keeps all prices and sends no requests", async () => {
  const { daemon: starting, database } = withDatabase(() =>
    TestDaemon.start({ start: NOON, simulator: { homes: ["danish"] } }),
  );
  await using daemon = await starting;
  await afternoon(
    daemon,
    "database_not_writable",
    () => database()?.exec("pragma query_only = on"),
    () => database()?.exec("pragma query_only = off"),
  );
});

/** Starts a daemon whose database can store requests and `freePages` of data, but not a year of hours. */
async function withNearlyFullDatabase(freePages: number): Promise<TestDaemon> {
  const config = { history: { months: 1 } };
  const { daemon: starting, database } = withDatabase(() =>
    TestDaemon.start({ start: NOON, simulator: { homes: ["danish"] }, config }),
  );
  const daemon = await starting;
  await daemon.clock.runUntil(NOON + 30 * MINUTE_MS);
  const { pages } = database()?.prepare("select page_count as pages from pragma_page_count").get() ?? {};
  database()?.exec(`pragma max_page_count = ${Number(pages) + freePages}`);
  return daemon;
}

test("a response that cannot be stored is returned to its LAN client", async () => {
  await using daemon = await withNearlyFullDatabase(16);
  const path = `${consumption(demoHomes.danish.address.id)}?from=2024-11-01T12:30:00Z&to=2025-10-01T00:00:00Z&aggregation=hour`;
  const asked = daemon.simulator.answered().length;
  const answer = await daemon.request(path);
  expect([answer.status, answer.headers.get("x-elbro-source")]).toEqual([200, "service"]);
  const next = await daemon.request(path);
  // No further requests are sent: the stored part of the year is returned and marked.
  expect([next.status, next.headers.get("x-elbro-stale")]).toEqual([200, "true"]);
  expect(daemon.simulator.answered().length).toBe(asked + 1);
  const { url, keys } = daemon.simulator;
  const service = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${keys.consumerKey}` } });
  expect(await answer.json()).toEqual(await service.json());
});

test("a response in two parts that cannot be stored is 503, because the parts cannot be joined", async () => {
  await using daemon = await withNearlyFullDatabase(8);
  const asked = daemon.simulator.answered().length;
  const answer = await daemon.request(`${consumption(demoHomes.danish.address.id)}?${YEAR_BEFORE}`);
  expect([answer.status, await codeIn(answer)]).toEqual([503, "entitlement_unavailable"]);
  expect(daemon.simulator.answered().length).toBe(asked + 1);
});

/** Starts a daemon and returns it with its database connection. */
function withDatabase(start: () => Promise<TestDaemon>) {
  const opened = new Set<DatabaseSync>();
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    opened.add(this);
    return exec.call(this, sql);
  };
  const daemon = start().finally(() => {
    DatabaseSync.prototype.exec = exec;
  });
  return { daemon, database: () => [...opened].find(({ isOpen }) => isOpen) };
}

test("with a full disk, saving settings, keys and plans is refused as temporary, and changes nothing", async (context) => {
  using disk = SmallDisk.mount(8);
  if (!disk) return context.skip("this user may not mount a file system");
  const yaml = `history: { months: 1 }
plans: [{ name: Washer, home: home, kind: window, hours: 2 }]`;
  await using daemon = await TestDaemon.start({
    start: NOON,
    dir: disk.dir,
    simulator: { homes: ["danish"] },
    yaml,
  });
  await daemon.untilPriced();
  const changes = [
    ["PUT", "/local/v1/settings/language", { keys: { language: "da" } }],
    ["POST", "/local/v1/keys", { name: "phone" }],
    ["POST", "/local/v1/plans", { name: "Dryer", home: "home", kind: "window", hours: 1 }],
    ["PUT", "/local/v1/plans/washer", { name: "Washer", home: "home", kind: "window", hours: 1 }],
  ] as const;
  const results = async () => {
    const found = [];
    for (const [method, path, body] of changes) {
      const answer = await daemon.send(method, path, body);
      const { errorCode = null } = (await answer.json()) as { errorCode?: string };
      found.push([path, answer.status, errorCode]);
    }
    return found;
  };
  const before = readFileSync(daemon.dir.file("elbro.yaml"), "utf8");
  disk.fill();
  expect(await results()).toEqual(changes.map(([, path]) => [path, 503, "not_saved"]));
  expect(readFileSync(daemon.dir.file("elbro.yaml"), "utf8")).toBe(before);
  disk.free();
  await daemon.clock.runUntil(daemon.clock.now() + 10 * MINUTE_MS);
  expect((await results()).map(([, status]) => status)).toEqual([200, 201, 201, 200]);
});
