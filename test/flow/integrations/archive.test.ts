import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlugMonth } from "../../../src/core/plugs/plug-snapshot.ts";
import type { SeriesKey } from "../../../src/core/series/series.ts";
import { DAY_MS, HOUR_MS, type Interval, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { migrations } from "../../../src/integrations/archive/archive-migrations.ts";
import { ArchiveError, PostgresArchive } from "../../../src/integrations/archive/postgres-archive.ts";
import { operationIds } from "../../../src/service/contract/operations.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import type { ArchiveBatch, ArchiveChunk } from "../../../src/storage/series/archive-backlog.ts";
import { PostgresServer } from "../../support/archive/postgres.ts";
import { archived, RunningArchive, storedIn } from "../../support/archive/running-archive.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { copiedText } from "../../support/docs/copied-files.ts";
import { pageText } from "../../support/docs/docs-pages.ts";
import { thirdPartyWith } from "../../support/http/local-api.ts";
import { loopMs } from "../../support/runner/loop-time.ts";
import { lacks } from "../../support/runner/needs.ts";
import { calendar, dayOf, rowsOf, StoreOnDisk, seriesOf } from "../../support/storage/store-on-disk.ts";

const HOURS = seriesOf("hour");
const QUARTERS = seriesOf("fifteenMinutes");
const YEAR: Interval = { start: dayOf("2025-01-01").start, end: dayOf("2026-01-01").start };
/** Contains the night of a clock change. */
const OCTOBER: Interval = { start: dayOf("2025-10-20").start, end: dayOf("2025-11-01").start };

let server: PostgresServer;
let databases = 0;
let database: string;

/** Creates an empty database, which is then the one of the test. */
async function createDatabase(): Promise<void> {
  database = `archive_${++databases}`;
  await server.query(`create database ${database}`);
}

/** Returns a store that is archived to an empty database. */
async function runningArchive(disk: StoreOnDisk): Promise<RunningArchive> {
  await createDatabase();
  return new RunningArchive(server.url(database), disk);
}

function batchOf(number: number, ...chunks: Partial<ArchiveChunk>[]): ArchiveBatch {
  const whole = { account: "consumer", address: "a", series: "prices", resolution: "hour", envelope: "{}" };
  const rest = { latest: null, changedAt: null, rows: [] };
  return { number, chunks: chunks.map((chunk) => ({ ...whole, ...rest, ...chunk })), entries: [] };
}

const SOURCES = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"] as const;

describe.skipIf(lacks("PostgreSQL"))("the archive in PostgreSQL", () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test("the archive in PostgreSQL contains every stored row of homes, places and accounts once", async () => {
    using disk = new StoreOnDisk();
    await using archive = await runningArchive(disk);
    const region: SeriesKey = {
      account: "third_party",
      place: '{"region":"DK1"}',
      operation: "regionPrices",
      unit: "latest",
    };
    const addresses: SeriesKey = { account: "consumer", place: "", operation: "addresses", unit: "latest" };
    const points = rowsOf("hour", dayOf("2026-03-10")).map(({ start }) => ({ date: start, price: -0.5 }));
    archive.put(
      HOURS,
      OCTOBER,
      rowsOf("hour", OCTOBER, (start) => start / 1e13),
    );
    archive.put(QUARTERS, OCTOBER, rowsOf("fifteenMinutes", OCTOBER));
    archive.put(region, OCTOBER, points);
    archive.put(addresses, OCTOBER, [{ id: HOURS.place, label: "Home", region: "DK1" }]);
    await archive.untilCopied();

    const expected = archive.stored([
      [HOURS, OCTOBER],
      [QUARTERS, OCTOBER],
      [region, { start: 0, end: Number.MAX_SAFE_INTEGER }],
    ]);
    expect(expected.size).toBe(12 * 24 + 1 + (12 * 24 + 1) * 4 + 24);
    expect(await archived(server, database)).toEqual(expected);
    const [home] = await server.query("select address, label, region from elbro.addresses", database);
    expect(home).toEqual({ address: HOURS.place, label: "Home", region: "DK1" });
    const [point] = await server.query("select region, price from elbro.region_prices limit 1", database);
    expect(point).toEqual({ region: "DK1", price: "-0.5" });
    const [hour] = await server.query("select currency, vat_included from elbro.prices limit 1", database);
    expect(hour).toEqual({ currency: "DKK", vat_included: true });
  });

  test("the archive in PostgreSQL contains every row once after PostgreSQL was killed during a transfer and started again", async () => {
    using disk = new StoreOnDisk();
    await using archive = await runningArchive(disk);
    let batches = 0;
    let killed: Promise<void> | null = null;
    archive.onBatch = () => {
      batches++;
      if (batches % 7 === 0 && killed === null) killed = server.down("SIGKILL");
    };
    archive.put(HOURS, YEAR, rowsOf("hour", YEAR));
    for (let round = 0; round < 2; round++) {
      await archive.until("the server is killed", () => killed !== null);
      await killed;
      archive.put(
        HOURS,
        dayOf("2025-06-01"),
        rowsOf("hour", dayOf("2025-06-01"), () => round + 100),
      );
      await archive.clock.runUntil(archive.clock.now() + MINUTE_MS);
      await server.up();
      killed = null;
    }
    archive.onBatch = () => undefined;
    await archive.untilCopied();
    const found = await archived(server, database);
    expect(found.size).toBe(8_760);
    expect(found).toEqual(archive.stored([[HOURS, YEAR]]));
    expect(archive.codes()).toEqual([]);
  });

  test("the archive in PostgreSQL receives new rows and corrections after a day without PostgreSQL, which is reported as a problem", async () => {
    using disk = new StoreOnDisk();
    await using archive = await runningArchive(disk);
    archive.put(HOURS, YEAR, rowsOf("hour", YEAR));
    await archive.untilCopied();
    await server.down();
    const away = archive.clock.now();
    for (let hour = 0; hour < 24; hour++) {
      const old = calendar.day(YEAR.start + (hour * 14 + 0.5) * DAY_MS);
      archive.put(
        HOURS,
        old,
        rowsOf("hour", old, () => 50 + hour),
      );
      archive.put(
        QUARTERS,
        dayOf("2026-03-10"),
        rowsOf("fifteenMinutes", dayOf("2026-03-10"), () => hour),
      );
      const until = away + (hour + 1) * HOUR_MS;
      await archive.until("an hour passes", () => archive.clock.now() >= until, 5 * MINUTE_MS);
      if (hour === 0) await archive.until("the problem", () => archive.codes().length > 0);
    }
    expect(archive.codes()).toEqual(["archive_unreachable"]);
    expect(archive.loop.count()).toBe(25);
    await server.up();
    await archive.untilCopied();
    await archive.until("the problem ends", () => archive.codes().length === 0);
    expect(await archived(server, database)).toEqual(
      archive.stored([
        [HOURS, YEAR],
        [QUARTERS, dayOf("2026-03-10")],
      ]),
    );
  });

  test("the archive in PostgreSQL has the months of plugs, also while nothing else changes, and keeps earlier ones", async () => {
    using disk = new StoreOnDisk();
    await using archive = await runningArchive(disk);
    const monthOf = (start: string, kwh: number, cost: number | null) => ({
      start: Date.parse(start),
      kwh,
      cost,
      currency: "DKK",
    });
    const february = monthOf("2026-02-01T00:00:00+01:00", 31.5, 60.25);
    const plug = { id: "boiler", name: "Boiler plug", plan: null, on: true, wanted: true, code: "wanted_on" as const };
    const state = { ...plug, reason: "", available: true, silent: false, since: null };
    const shows = (...months: readonly PlugMonth[]) => {
      const [month = february, monthBefore = february] = months;
      archive.plugs = [
        { ...state, measured: { watts: 5, month, monthBefore } },
        { ...state, id: "lamp", measured: null },
      ];
    };
    const rows = () =>
      server.query(
        "select plug, name, start_at, energy_kwh, cost, currency from elbro.plug_months order by start_at",
        database,
      );
    const row = ({ start, kwh, cost }: PlugMonth) => ({
      ...{ plug: "boiler", name: "Boiler plug", start_at: new Date(start), energy_kwh: kwh, cost, currency: "DKK" },
    });
    const march = monthOf("2026-03-01T00:00:00+01:00", 2, null);
    shows(march, february);
    await archive.until("the months", async () => (await rows().catch(() => [])).length === 2);
    expect(await rows()).toEqual([row(february), row(march)]);
    const [april, longMarch] = [monthOf("2026-04-01T00:00:00+02:00", 0.5, 1), { ...march, kwh: 40, cost: 80 }];
    shows(april, longMarch);
    await archive.until("the next month", async () => (await rows()).length === 3, MINUTE_MS);
    expect(await rows()).toEqual([row(february), row(longMarch), row(april)]);
  });

  test("the archive in PostgreSQL gets its tables once from ten daemons that start at once; an older daemon rejects newer tables", async () => {
    await createDatabase();
    const { signal } = new AbortController();
    const account = { url: server.url(database) };
    const archives = await Promise.all(Array.from({ length: 10 }, () => PostgresArchive.connect(account, signal)));
    for (const archive of archives) archive.close();
    expect(await server.query("select version from elbro.migration", database)).toEqual([
      { version: 1 },
      { version: 2 },
    ]);
    await server.query("insert into elbro.migration values (99, now())", database);
    await expect(PostgresArchive.connect(account, signal)).rejects.toThrow(
      "its tables were created by a newer elbro (version 99; this elbro supports up to 2)",
    );
    await expect(PostgresArchive.check(account, signal)).rejects.toThrow("created by a newer elbro (version 99");
  });

  test("the archive in PostgreSQL of an earlier version gets the missing tables and keeps its rows", async () => {
    await createDatabase();
    const made = "create table elbro.migration (version integer primary key, made_at timestamptz not null)";
    await server.query(`create schema elbro; ${made}; insert into elbro.migration values (1, now())`, database);
    await server.query(migrations[0] ?? "", database);
    await server.query(`insert into elbro.source values ('${SOURCES[0]}', 7, '1.0.0', now())`, database);
    const archive = await PostgresArchive.connect({ url: server.url(database) }, new AbortController().signal);
    expect(await archive.lastBatch(SOURCES[0])).toBe(7);
    await archive.writePlugMonths(SOURCES[0], []);
    archive.close();
  });

  test.each([
    ["a wrong login", (url: string) => url.replace("//elbro", "//nobody"), /nobody/],
    ["a missing database", (url: string) => `${url}_missing`, /does not exist/],
    ["an unknown option", (url: string) => `${url}?sslmod=disable`, /sslmod/],
    ["newer tables", (url: string) => url, /newer elbro/],
  ])("the archive in PostgreSQL is reported at once if it refuses permanently: %s", async (_, change, detail) => {
    await createDatabase();
    const account = { url: server.url(database) };
    (await PostgresArchive.connect(account, new AbortController().signal)).close();
    await server.query("insert into elbro.migration values (99, now())", database);
    using disk = new StoreOnDisk();
    await using archive = new RunningArchive(change(account.url), disk);
    // The clock stands still.
    await expect
      .poll(() => archive.problems.list())
      .toMatchObject([{ code: "archive_unreachable", detail: expect.stringMatching(detail) }]);
  });

  test("the archive in PostgreSQL is unchanged after a failed migration", async () => {
    await createDatabase();
    await server.query("create schema elbro; create table elbro.series (id integer)", database);
    const connecting = PostgresArchive.connect({ url: server.url(database) }, new AbortController().signal);
    await expect(connecting).rejects.toThrow('relation "series" already exists');
    const tables = await server.query("select tablename from pg_tables where schemaname = 'elbro'", database);
    expect(tables).toEqual([{ tablename: "series" }]);
  });

  test("the archive in PostgreSQL does not delay the stop of the daemon if PostgreSQL does not respond", async () => {
    using disk = new StoreOnDisk();
    await using archive = await runningArchive(disk);
    archive.put(HOURS, OCTOBER, rowsOf("hour", OCTOBER));
    await archive.untilCopied();
    const lock = server.query("begin; lock table elbro.rows; select pg_sleep(3); commit", database);
    await archive.until("the lock", async () => {
      const [found] = await server.query(
        "select count(*)::integer as n from pg_locks where mode = 'AccessExclusiveLock'",
      );
      return Number(found?.n) > 0;
    });
    archive.put(HOURS, dayOf("2026-03-10"), rowsOf("hour", dayOf("2026-03-10")));
    await archive.clock.runUntil(archive.clock.now() + MINUTE_MS);
    expect(await loopMs(archive.stop())).toBeLessThan(1_000);
    await lock;
    server.freeze();
    const connecting = new RunningArchive(server.url(database), disk);
    await connecting.until("it connects", () => connecting.loop.count() > 0);
    expect(await loopMs(connecting.stop())).toBeLessThan(1_000);
    server.thaw();
  });

  test("the archive in PostgreSQL keeps the later change of two data directories; a directory can always correct its own rows", async () => {
    await createDatabase();
    const archive = await PostgresArchive.connect({ url: server.url(database) }, new AbortController().signal);
    const at = Date.parse("2026-03-10T12:00:00Z");
    const price = async () =>
      Number((await server.query("select price_per_kwh from elbro.prices", database))[0]?.price_per_kwh);
    const write = (source: 0 | 1, totalPricePerKWh: number, changedAt: number | null) =>
      archive.write(
        SOURCES[source],
        batchOf(1, { changedAt, rows: [{ start: "2026-03-10T12:00:00Z", totalPricePerKWh }] }),
      );
    await write(0, 1, at);
    await write(1, 2, at + 1);
    expect(await price()).toBe(2);
    await write(0, 3, at);
    await write(0, 4, null);
    expect(await price()).toBe(2);
    await write(1, 5, at - DAY_MS);
    expect(await price()).toBe(5);
    archive.close();
  });

  test("the archive in PostgreSQL replaces texts and omits times that PostgreSQL rejects", async () => {
    await createDatabase();
    const archive = await PostgresArchive.connect({ url: server.url(database) }, new AbortController().signal);
    const rows = [
      { start: "-200000-01-01T00:00:00Z" },
      { start: "2026-03-10T12:00:00Z", end: "never", note: "a\0b \ud800 \\u0000 \\\\u0000 ", "k\0": "\u{1F600}" },
      { start: "+200000-01-01T00:00:00Z", end: "2026-03-10T13:00:00.123456Z" },
    ];
    expect(await archive.write(SOURCES[0], batchOf(1, { rows, account: "a\0", latest: JSON.stringify(rows) }))).toBe(2);
    const found = await server.query("select values, end_at from elbro.rows order by start_at", database);
    expect(found).toEqual([
      {
        end_at: null,
        values: {
          start: "2026-03-10T12:00:00Z",
          end: "never",
          note: "a\ufffdb \ufffd \\u0000 \\\\u0000 ",
          "k\ufffd": "\u{1F600}",
        },
      },
      { end_at: new Date("2026-03-10T13:00:00.123Z"), values: rows[2] },
    ]);
    archive.close();
  });

  test("the archive in PostgreSQL equals the store after any sequence of changes, transfers, crashes and restarts", async () => {
    await createDatabase();
    const { signal } = new AbortController();
    (await PostgresArchive.connect({ url: server.url(database) }, signal)).close();
    const days = ["2025-10-25", "2025-10-26", "2025-10-27", "2026-03-29"];
    const step = fc.oneof(
      fc.record({ do: fc.constant("put"), day: fc.nat(days.length - 1), price: fc.nat(3), quarters: fc.boolean() }),
      fc.constantFrom({ do: "copy" }, { do: "crash" }, { do: "restart" }),
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        using disk = new StoreOnDisk();
        const account = `run_${++runs}`;
        const series = (quarters: boolean) => ({ ...(quarters ? QUARTERS : HOURS), account });
        let archive = new RunningArchive(server.url(database), disk);
        for (const each of steps) {
          if ("day" in each) {
            const day = dayOf(days[each.day] ?? "");
            const key = series(each.quarters);
            archive.put(
              key,
              day,
              rowsOf(each.quarters ? "fifteenMinutes" : "hour", day, () => each.price),
            );
          } else if (each.do === "copy") await archive.untilCopied();
          else {
            if (each.do === "crash")
              archive.onBatch = () => {
                throw new ArchiveError("written and not confirmed");
              };
            await archive.clock.runUntil(archive.clock.now() + MINUTE_MS);
            await archive.stop();
            disk.reopen();
            archive = new RunningArchive(server.url(database), disk);
          }
        }
        await archive.untilCopied();
        await archive.stop();
        const all = { start: dayOf("2025-10-01").start, end: dayOf("2026-04-01").start };
        const found = [...(await archived(server, database))].filter(([name]) => name.startsWith(`${account} `));
        expect(new Map(found)).toEqual(
          archive.stored([
            [series(true), all],
            [series(false), all],
          ]),
        );
      }),
      { numRuns: 25 },
    );
  });

  test("the archive in PostgreSQL calls TimescaleDB's function as documented if the extension exists (emulated, because it cannot be installed here)", async () => {
    await createDatabase();
    await server.query(
      `create table called (relation regclass, time_column_name name, chunk_time_interval interval, if_not_exists boolean, migrate_data boolean);
       create function create_hypertable(relation regclass, time_column_name name, partitioning_column name default null,
         number_partitions integer default null, chunk_time_interval anyelement default null::interval,
         create_default_indexes boolean default true, if_not_exists boolean default false, migrate_data boolean default false)
       returns void language sql as 'insert into called values ($1, $2, $5::text::interval, $7, $8)';
       set allow_system_table_mods = on;
       insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
         values (99999, 'timescaledb', 10, 2200, false, '2.0')`,
      database,
    );
    const archive = await PostgresArchive.connect({ url: server.url(database) }, new AbortController().signal);
    archive.close();
    const time = { time_column_name: "start_at", if_not_exists: true, migrate_data: true };
    const text =
      "select relation = 'elbro.rows'::regclass as is_rows, time_column_name, chunk_time_interval::text, if_not_exists, migrate_data from called";
    expect(await server.query(text, database)).toEqual([{ is_rows: true, chunk_time_interval: "1 mon", ...time }]);
    const unique = await server.query(
      "select indexdef from pg_indexes where schemaname = 'elbro' and tablename = 'rows' and indexdef like '%UNIQUE%'",
      database,
    );
    expect(unique.map(({ indexdef }) => indexdef.includes("start_at"))).toEqual([true]);
  });

  test("the archive in PostgreSQL receives all rows of a daemon, which counts them in its metrics; the queries of the Grafana dashboard return rows", async () => {
    await createDatabase();
    const start = Date.parse("2026-03-10T12:30:00Z");
    await using it = await TestDaemon.start({
      start,
      config: {
        history: { months: 1 },
        archive: { url: server.url(database).replace(":a-secret-password", ""), password: "a-secret-password" },
        ...thirdPartyWith([
          { name: "Region", region: "DK1" },
          { name: "Cabin", latitude: 56.1, longitude: 10.2 },
        ]),
      },
    });
    await it.untilTomorrow();
    await it.clock.runUntil(start + 3 * HOUR_MS);
    const metrics = await (await it.request("/metrics")).text();
    expect(Number(/^elbro_archive_written_rows_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(1_000);
    expect(metrics).toMatch(/^elbro_archive_backlog_chunks \d+$/m);
    await it.stop();

    const disk = { database: openDatabase(it.dir.file("elbro.db")) };
    await using rest = new RunningArchive(server.url(database), disk);
    await rest.untilCopied();
    await rest.stop();
    expect(await archived(server, database)).toEqual(storedIn(disk.database));
    disk.database.close();
    const series = await server.query("select distinct series from elbro.stored_rows order by 1", database);
    expect(series.map((row) => row.series)).toEqual(
      expect.arrayContaining(["consumption", "forecastPrices", "prices", "regionPrices", "locationPrices"]),
    );
    const views = await server.query("select viewname from pg_views where schemaname = 'elbro'", database);
    expect(views.length).toBe(operationIds.length + 1);
    for (const { viewname } of views) await server.query(`select * from elbro.${viewname}`, database);

    const [, example = ""] = /```sql\n(-- [^;]*;)/.exec(pageText("docs/archive.md")) ?? [];
    const labels = await server.query(example.replaceAll("now()", "timestamptz '2026-04-10T13:30:00Z'"), database);
    expect(labels.length).toBeGreaterThan(0);

    for (const { title, sql } of dashboardQueries()) {
      const rows = await server.query(sql, database);
      if (!/Export|Revenue|without readings/.test(title)) expect(rows.length, title).toBeGreaterThan(0);
    }
  });

  test("the archive in PostgreSQL loads the driver only if it is configured; `check --online` tests the connection", async () => {
    await createDatabase();
    await using installed = await TestDaemon.install();
    const script = installed.dir.file("loaded.cjs");
    writeFileSync(script, 'process.on("message", () => process.send(Object.keys(require.cache)))');
    const dist = path.resolve(import.meta.dirname, "../../../dist");
    const programs = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
    const driver = programs.filter((name) =>
      readFileSync(path.join(dist, name), "utf8").includes("Connection terminated unexpectedly"),
    );
    expect(driver.length).toBe(1);
    const loaded = async () => {
      await using daemon = await installed.launch({}, { nodeArgs: ["--require", script], channel: "ipc" });
      const files = (await daemon.ask("loaded")) as string[];
      return files
        .map((file) => path.basename(file))
        .filter((file) => driver.includes(file) || file.includes("archive"));
    };
    expect(await loaded()).toEqual([]);
    const url = `postgres://elbro@127.0.0.1:${server.port}/${database}`;
    const passwordFile = installed.dir.file("password");
    writeFileSync(passwordFile, "a-secret-password\n", { mode: 0o600 });
    installed.configure({ archive: { url, password_file: passwordFile } });
    const good = await installed.run("check", "--online");
    expect(good.output).toContain("ok   archive: PostgreSQL accepts the login");
    expect(await server.query("select from pg_tables where schemaname = 'elbro'", database)).toEqual([]);
    expect(await loaded()).toEqual(expect.arrayContaining([...driver, "archive-loop.cjs"]));
    installed.configure({ archive: { url: `${url}_missing` } });
    const { code, output } = await installed.run("check", "--online");
    expect([code, output]).toEqual([
      1,
      expect.stringContaining(`FAIL archive: database "${database}_missing" does not exist`),
    ]);
  });
});

/** Returns the queries of the dashboard with values for Grafana's macros and variables. */
function dashboardQueries(): { readonly title: string; readonly sql: string }[] {
  const { panels, templating } = JSON.parse(copiedText("grafana-archive.json")) as Dashboard;
  const variables = templating.list.flatMap(({ type, query }) =>
    type === "query" ? { title: "a variable", sql: query } : [],
  );
  const targets = panels.flatMap(({ title, targets }) => targets.map(({ rawSql }) => ({ title, sql: rawSql })));
  return [...variables, ...targets].map(({ title, sql }) => ({
    title,
    sql: sql
      .replaceAll(/\$__timeFilter\((\w+)\)/g, "$1 between '2026-02-01T00:00:00Z' and '2026-04-01T00:00:00Z'")
      .replaceAll("$address", "select address from elbro.addresses")
      .replaceAll("$resolution", "fifteenMinutes")
      .replaceAll("now()", "timestamptz '2026-03-10T13:30:00Z'"),
  }));
}

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] };
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly rawSql: string }[] }[];
}
