import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/time/interval.ts";
import { freePort } from "../../support/broker/mosquitto.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const FLIPS = Number(process.env.ELBRO_TEST_DAEMON_FLIPS ?? (process.env.ELBRO_NIGHTLY === "1" ? 50 : 20));

async function priceNow(daemon: TestDaemon): Promise<unknown> {
  const { homes } = (await (await daemon.request("/local/v1/now")).json()) as { homes: { price: number | null }[] };
  return homes[0]?.price ?? null;
}

test(`with ${FLIPS} damaged databases the daemon always starts, and never shows a wrong price`, async () => {
  const plans = [{ name: "Washer", home: "home", kind: "slots", hours: 3 }];
  const config = { plans } as unknown as NonNullable<Parameters<typeof TestDaemon.start>[0]["config"]>;
  await using daemon = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] }, config });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  const price = await priceNow(daemon);
  expect(price).not.toBeNull();
  await daemon.stop();
  const file = daemon.dir.file("elbro.db");
  const bytes = readFileSync(file);
  daemon.simulator.setFaults([{ operation: "*", fault: "lostConnection" }]);
  let reported = 0;
  for (let i = 0; i < FLIPS; i++) {
    const damaged = Buffer.from(bytes);
    const at = (i * 7_919 + 104_729) % bytes.length;
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (i % 8));
    for (const ending of ["-wal", "-shm", ".copy"]) rmSync(file + ending, { force: true });
    writeFileSync(file, damaged);
    await daemon.restart();
    expect([price, null]).toContain(await priceNow(daemon));
    if (daemon.log.splice(0).some(({ facts }) => "code" in facts && /damaged|restored/.test(String(facts.code))))
      reported++;
  }
  await daemon.stop();
  expect(reported).toBeGreaterThan(0);
});

test("damaged chunks are reported as a problem and requested again, so that prices are soon complete", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] } });
  await daemon.clock.runUntil(MORNING + HOUR_MS);
  const price = await priceNow(daemon);
  await daemon.stop();
  const database = new DatabaseSync(daemon.dir.file("elbro.db"));
  database.exec("update chunk set rows = x'00'");
  database.close();
  await daemon.restart();
  await daemon.clock.runUntil(MORNING + HOUR_MS + 10 * MINUTE_MS);
  expect([price, await priceNow(daemon)]).toEqual([expect.any(Number), price]);
  expect(daemon.watcher.json("elbro/info").problems).toMatchObject([{ code: "values_damaged" }]);
});

test("folders in place of files do not prevent the daemon from starting", async () => {
  await using daemon = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] } });
  expect(statSync(daemon.dir.path).mode & 0o777).toBe(0o700);
  for (const ending of ["", "-wal"]) expect(statSync(daemon.dir.file(`elbro.db${ending}`)).mode & 0o777).toBe(0o600);
  await daemon.stop();
  for (const name of ["elbro.db", "elbro.db-wal", "elbro.db.copy", "elbro.sock", "keys.json"]) {
    rmSync(daemon.dir.file(name), { recursive: true, force: true });
    mkdirSync(daemon.dir.file(name));
    await daemon.restart();
    expect((await daemon.request("/local/v1/now")).status).toBe(200);
    await daemon.stop();
  }
});

test("a database that cannot be read while the daemon runs is restored without an end of the program", async () => {
  await using installed = await TestDaemon.install({
    config: {
      api: { host: "127.0.0.1", port: await freePort(), keys: [{ name: "test", key: LAN_KEY, scopes: ["admin"] }] },
    },
    simulator: { limits: { minute: 10_000, day: 1_000_000 } },
  });
  await using first = await installed.launch();
  // Several responses of 200 days each: more than the page cache holds.
  await expect.poll(() => first.lines.filter((line) => line.includes("history filled")).length).toBeGreaterThan(5);
  // The end moves everything from the write-ahead log into the file.
  expect((await first.end("SIGTERM")).code).toBe(0);
  await using daemon = await installed.launch();
  const base = `http://127.0.0.1:${await daemon.apiPort()}`;
  const get = (path: string) => fetch(`${base}${path}`, { headers: { authorization: `Bearer ${LAN_KEY}` } });
  expect((await get("/local/v1/backup")).status).toBe(200);
  const file = path.join(installed.dataDir, "elbro.db");
  writeFileSync(file, Buffer.alloc(statSync(file).size, 0x55));
  const id = installed.simulator.addressIds.danish;
  const year = `from=${new Date(Date.now() - 300 * DAY_MS).toISOString()}&to=${new Date().toISOString()}&aggregation=hour`;
  for (const operation of ["consumption", "consumption-costs", "solar-export", "solar-export-revenue"])
    await get(`/consumer/v1/me/addresses/${id}/${operation}?${year}`).catch(() => null);
  await daemon.line(/database cannot be read/);
  await daemon.line(/database_restored/);
  await expect.poll(async () => (await get("/local/v1/now").catch(() => null))?.status).toBe(200);
  expect((await daemon.end("SIGTERM")).code).toBe(0);
});
