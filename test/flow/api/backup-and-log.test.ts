import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { constants, deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { openDatabase, withDigest } from "../../../src/storage/database.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { askJson, askText, startLocalApi } from "../../support/http/local-api.ts";
import { planEntry, untilPlan } from "../../support/plans/plan-topics.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const START = Date.parse("2026-03-10T09:00:00Z");
const washer = planEntry({ kind: "window", hours: 3, from: "20:00", ready_by: "07:00", kwh: 1.2 });
const TYPE = "application/octet-stream";

const linesOf = async (daemon: TestDaemon, query = "") =>
  ((await askJson(daemon, `log${query}`)) as { lines: Readonly<{ id: number; level: string; text: string }>[] }).lines;
const upload = (daemon: TestDaemon, body: Uint8Array, type = TYPE, headers = {}) =>
  fetch(`${daemon.url}/local/v1/backup`, {
    method: "POST",
    headers: { authorization: `Bearer ${LAN_KEY}`, "content-type": type, ...headers },
    body,
  });
const setting = (copy: DatabaseSync, name: string, value: string) =>
  copy.prepare("insert or replace into setting (name, value, digest) values (?1, ?2, digest(?1, ?2))").run(name, value);
const cookieOf = async (daemon: TestDaemon, key: string) => {
  const headers = { "content-type": "application/json", "x-elbro-page": "1" };
  const request = { method: "POST", headers, body: JSON.stringify({ key }) };
  return (await fetch(`${daemon.url}/local/v1/session`, request)).headers.get("set-cookie")?.split(";")[0] ?? "";
};
const hoursOf = async (daemon: TestDaemon) => {
  const plan = await askJson(daemon, "plans/washer");
  return (plan as { settings: { hours: { value: number } } }).settings.hours.value;
};

describe("the log over HTTP", () => {
  test("the log over HTTP returns the lines since the start, filtered by level or line id, and as CSV", async () => {
    await using daemon = await startLocalApi({ start: START });
    const lines = await linesOf(daemon);
    expect(lines.map(({ text }) => text)).toContain("API listens");
    expect(lines.map(({ id }) => id)).toEqual(lines.map((_, i) => i + 1));
    daemon.simulator.setFaults([{ fault: "status", operation: "*", status: 401, errorCode: "invalid_token" }]);
    await daemon.clock.runUntil(START + 30 * 60_000);
    const later = await linesOf(daemon, `?after=${lines.at(-1)?.id}`);
    expect(later.some(({ text }) => lines.some((line) => line.text === text && line.id === later[0]?.id))).toBe(false);
    const warnings = await linesOf(daemon, "?level=warn");
    expect(new Set(warnings.map(({ level }) => level))).toEqual(new Set(["warn"]));
    expect(JSON.stringify([...lines, ...later])).not.toContain(LAN_KEY);
    expect((await askText(daemon, "log.csv"))[1]).toMatch(/^time,level,text,facts\r\n2026-03-10T10:00:00\+01:00,info,/);
  });
});

describe("backup over HTTP", () => {
  const page = "version: 2\nsettings: { language: sv }\n";
  const scopes: ["admin"] = ["admin"];
  const isHere = (daemon: TestDaemon) => daemon.request("/local/v1/session", {}).then(({ status }) => status === 200);

  test("an uploaded copy replaces rows and page.yaml at the next start; keys, sessions and feeds stay", async () => {
    using dir = new TempDir();
    writeFileSync(dir.file("page.yaml"), page);
    await using daemon = await startLocalApi({ start: START, dir, scopes, config: { plans: [washer] } });
    await daemon.clock.runUntil(START + 5 * 60_000);
    await untilPlan(daemon, ({ state }) => state !== "", "the plan");
    await daemon.post("/local/v1/plans/washer", { hours: 2 });
    type Made = { readonly path: string; readonly key: string };
    const made = async (path: string, body: object) => (await (await daemon.post(path, body)).json()) as Made;
    const tokenOf = async () => (await made("/local/v1/calendar?home=home", {})).path;
    const keyOf = async (name: string) => {
      const { key } = await made("/local/v1/keys", { name });
      // The key file is read again.
      await daemon.clock.runUntil(daemon.clock.now() + 1_000);
      return key;
    };
    const [feed, key] = [await tokenOf(), await keyOf("phone")];
    const cookie = await cookieOf(daemon, key);
    const downloaded = await daemon.request("/local/v1/backup");
    expect([downloaded.status, downloaded.headers.get("content-type")]).toEqual([200, TYPE]);
    expect(downloaded.headers.get("content-disposition")).toBe('attachment; filename="elbro-backup-2026-03-10.db"');
    const copy = new Uint8Array(await downloaded.arrayBuffer());
    writeFileSync(dir.file("downloaded.db"), copy);
    const read = openDatabase(dir.file("downloaded.db"));
    expect(read.prepare("select count(*) as n from chunk").get()?.n).toBeGreaterThan(0);
    read.close();
    await daemon.post("/local/v1/plans/washer", { hours: 1 });
    await daemon.send("DELETE", "/local/v1/keys/phone");
    const [laterFeed, laterKey] = [await tokenOf(), await keyOf("tablet")];
    const laterCookie = await cookieOf(daemon, laterKey);
    writeFileSync(dir.file("page.yaml"), page.replace("sv", "da"));
    const taken = await upload(daemon, copy);
    expect([taken.status, await taken.json()]).toEqual([202, { restart: true }]);
    // Before the restart nothing has changed.
    expect(await hoursOf(daemon)).toBe(1);
    await daemon.restart();
    await daemon.clock.settle();
    expect(await hoursOf(daemon)).toBe(2);
    expect(readFileSync(dir.file("page.yaml"), "utf8")).toBe(page);
    const { keys } = (await askJson(daemon, "keys")) as { keys: { name: string }[] };
    expect(keys.map(({ name }) => name)).toEqual(["test", "tablet"]);
    // The name of the cookie has the port, which is another one after the restart.
    const here = (cookie: string) => cookie.replace(/\d+(?==)/, new URL(daemon.url).port);
    const seen = async (sent: string) =>
      ((await (await fetch(`${daemon.url}/local/v1/session`, { headers: { cookie: here(sent) } })).json()) as Made).key;
    expect([await seen(cookie), await seen(laterCookie)]).toEqual([null, "tablet"]);
    const feeds = await Promise.all([feed, laterFeed].map((path) => fetch(daemon.url + path)));
    expect(feeds.map(({ status }) => status)).toEqual([403, 200]);
    expect((await linesOf(daemon)).map(({ text }) => text)).toContain(
      "database replaced by the uploaded copy; keys and sessions stay",
    );
    expect(readdirSync(dir.path).some((name) => /^elbro\.db\.replaced/.test(name))).toBe(true);
    expect(readdirSync(dir.path).filter((name) => name.includes("waiting"))).toEqual([]);
    // The copy is used once. The next start changes nothing.
    await daemon.post("/local/v1/plans/washer", { hours: 1 });
    await daemon.restart();
    await daemon.clock.settle();
    expect(await hoursOf(daemon)).toBe(1);
  });

  /** Copies that passed each check when a copy was used as a file. */
  const hostile: readonly (readonly [name: string, change: (copy: DatabaseSync) => void, why: string | null])[] = [
    ["sessions of 12 MB", (copy) => setting(copy, "dashboard_sessions", `[${"{},".repeat(4_000_000)}{}]`), null],
    [
      "3,000 settings of 40 kB",
      (copy) =>
        copy.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
        insert into setting (name, value) select 'x' || i, printf('%.40000c', 'x') from n`),
      "the table setting has 12\\d+ bytes; expected at most 8388608",
    ],
    ["a setting of 5 MB", (copy) => setting(copy, "x", "x".repeat(5_000_000)), "a value of 5000000 bytes"],
    [
      "a plan of 1 MB",
      (copy) => copy.exec("insert into plan_state values ('x', printf('%.1000000c', 'x'), 0)"),
      "plan_state",
    ],
    [
      "a chunk that inflates to 100 MB",
      (copy) => {
        const deflated = deflateRawSync(Buffer.alloc(100_000_000, "x"), { finishFlush: constants.Z_SYNC_FLUSH });
        const columns = "(key, complete, estimated, digest, rows)";
        copy.prepare(`insert into chunk ${columns} values (?, 1, 0, 0, ?)`).run(1 << 20, deflated);
      },
      null,
    ],
  ];
  test.each(hostile)(
    "a copy with %s is imported without them or refused, and the next start works",
    async (_, change, why) => {
      using dir = new TempDir();
      await using daemon = await startLocalApi({ start: START, dir, scopes });
      writeFileSync(
        dir.file("copy.db"),
        new Uint8Array(await (await daemon.request("/local/v1/backup")).arrayBuffer()),
      );
      const copy = withDigest(new DatabaseSync(dir.file("copy.db")));
      change(copy);
      copy.close();
      const answer = await upload(daemon, readFileSync(dir.file("copy.db")));
      const body = await answer.json();
      expect([answer.status, body]).toMatchObject(
        why === null ? [202, {}] : [400, { reason: expect.stringMatching(new RegExp(why)) }],
      );
      await daemon.restart();
      expect(await isHere(daemon)).toBe(true);
      expect(statSync(dir.file("elbro.db")).size).toBeLessThan(1_000_000);
    },
  );

  test("a header that makes SQLite read-only is not taken over", async () => {
    using dir = new TempDir();
    await using daemon = await startLocalApi({ start: START, dir, scopes });
    const copy = new Uint8Array(await (await daemon.request("/local/v1/backup")).arrayBuffer());
    copy[18] = 3;
    expect((await upload(daemon, copy)).status).toBe(202);
    await daemon.restart();
    expect(await isHere(daemon)).toBe(true);
    expect(readdirSync(dir.path).filter((name) => name.includes("broken"))).toEqual([]);
    expect((await daemon.post("/local/v1/keys", { name: "phone" })).status).toBe(201);
  });

  test.each([
    ["trigger", "create trigger elsewhere before insert on setting begin select raise(abort, 'no'); end"],
    ["trigger", "create trigger archive_inserted after insert on chunk begin delete from chunk; end"],
    ["index", "create unique index elsewhere on setting (digest)"],
    ["view", "create view elsewhere as select 1"],
    ["table", "create table elsewhere (id integer references series)"],
  ])("a copy with a %s that elbro does not create is refused, and the next start works: %s", async (type, sql) => {
    using dir = new TempDir();
    await using daemon = await startLocalApi({ start: START, dir, scopes });
    writeFileSync(dir.file("copy.db"), new Uint8Array(await (await daemon.request("/local/v1/backup")).arrayBuffer()));
    const changed = new DatabaseSync(dir.file("copy.db"));
    changed.exec(sql);
    changed.close();
    const answer = await upload(daemon, readFileSync(dir.file("copy.db")));
    const name = sql.includes("archive") ? "archive_inserted" : "elsewhere";
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { reason: `this copy cannot be used: elbro does not create its ${type} "${name}"` },
    ]);
    await daemon.restart();
    expect((await daemon.request("/local/v1/now")).status).toBe(200);
  });

  test("an invalid copy is refused with a reason, and a waiting copy can be deleted", async () => {
    using dir = new TempDir();
    await using daemon = await startLocalApi({ start: START, dir, scopes });
    const copy = new Uint8Array(await (await daemon.request("/local/v1/backup")).arrayBuffer());
    const damaged = copy.slice();
    damaged.fill(0x55, 4_000, 8_000);
    for (const [body, type, status] of [
      [new TextEncoder().encode("no database"), TYPE, 400],
      [damaged, TYPE, 400],
      [new Uint8Array(0), TYPE, 400],
      [copy, "application/json", 415],
    ] as const) {
      const answer = await upload(daemon, body, type);
      expect([type, answer.status, ((await answer.json()) as { reason: string }).reason]).toEqual([
        type,
        status,
        expect.stringMatching(/\w/),
      ]);
    }
    expect(readdirSync(dir.path).filter((name) => name.includes("waiting"))).toEqual([]);
    expect((await upload(daemon, copy)).status).toBe(202);
    expect((await daemon.send("DELETE", "/local/v1/backup")).status).toBe(200);
    expect(readdirSync(dir.path).filter((name) => name.includes("waiting"))).toEqual([]);
  });
});
