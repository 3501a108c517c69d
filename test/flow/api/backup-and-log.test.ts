import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { KeyFile } from "../../../src/storage/api-key-file.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { filesIn } from "../../../src/storage/page-copy.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { askJson, askText, startLocalApi } from "../../support/http/local-api.ts";
import { planEntry, untilPlan } from "../../support/plans/plan-topics.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const START = Date.parse("2026-03-10T09:00:00Z");
const washer = planEntry({ kind: "window", hours: 3, from: "20:00", ready_by: "07:00", kwh: 1.2 });
const TYPE = "application/octet-stream";

interface Line {
  readonly id: number;
  readonly level: string;
  readonly text: string;
}

const linesOf = async (daemon: TestDaemon, query = "") =>
  ((await askJson(daemon, `log${query}`)) as { lines: Line[] }).lines;
const upload = (daemon: TestDaemon, body: Uint8Array, type = TYPE, headers = {}) =>
  fetch(`${daemon.url}/local/v1/backup`, {
    method: "POST",
    headers: { authorization: `Bearer ${LAN_KEY}`, "content-type": type, ...headers },
    body,
  });
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

  test("the log over HTTP needs a key with the scope control", async () => {
    await using daemon = await startLocalApi({ start: START, scopes: ["read"] });
    expect((await daemon.request("/local/v1/log")).status).toBe(403);
    expect((await daemon.request("/local/v1/backup")).status).toBe(403);
    expect((await upload(daemon, new Uint8Array(1))).status).toBe(403);
  });
});

describe("backup over HTTP", () => {
  test("an uploaded copy replaces the database and the keys at the next start", async () => {
    using dir = new TempDir();
    await using daemon = await startLocalApi({ start: START, dir, config: { plans: [washer] } });
    await daemon.clock.runUntil(START + 5 * 60_000);
    await untilPlan(daemon, ({ state }) => state !== "", "the plan");
    await daemon.post("/local/v1/plans/washer", { hours: 2 });
    await daemon.post("/local/v1/keys", { name: "phone" });
    const downloaded = await daemon.request("/local/v1/backup");
    expect([downloaded.status, downloaded.headers.get("content-type")]).toEqual([200, TYPE]);
    expect(downloaded.headers.get("content-disposition")).toBe('attachment; filename="elbro-backup-2026-03-10.db"');
    const copy = new Uint8Array(await downloaded.arrayBuffer());
    writeFileSync(`${dir.path}/downloaded.db`, copy);
    expect(
      openDatabase(`${dir.path}/downloaded.db`).prepare("select count(*) as n from chunk").get()?.n,
    ).toBeGreaterThan(0);
    await daemon.post("/local/v1/plans/washer", { hours: 1 });
    await daemon.send("DELETE", "/local/v1/keys/phone");
    const taken = await upload(daemon, copy);
    expect([taken.status, await taken.json()]).toEqual([202, { restart: true }]);
    // Before the restart nothing has changed.
    expect(await hoursOf(daemon)).toBe(1);
    await daemon.restart();
    await daemon.clock.settle();
    expect(await hoursOf(daemon)).toBe(2);
    const { keys } = (await askJson(daemon, "keys")) as { keys: { name: string }[] };
    expect(keys.map(({ name }) => name)).toContain("phone");
    expect((await linesOf(daemon)).map(({ text }) => text)).toContain(
      "database replaced by the uploaded copy; the keys in the copy are valid again",
    );
    expect(readdirSync(dir.path).some((name) => /^elbro\.db\.replaced/.test(name))).toBe(true);
    expect(existsSync(`${dir.path}/elbro.db.waiting`)).toBe(false);
    // The copy is used once. The next start changes nothing.
    await daemon.post("/local/v1/plans/washer", { hours: 1 });
    await daemon.restart();
    await daemon.clock.settle();
    expect(await hoursOf(daemon)).toBe(1);
  });

  test("page.yaml and its history are part of it; secrets, their restore and keys with the scope admin need that scope", async () => {
    using dir = new TempDir();
    // Longer than a page of the database, so that its bytes are found.
    const SECRET = "token-of-the-phone-".repeat(60);
    const holdsSecret = (copy: Buffer) => copy.includes("token-of-the-phone-");
    const state = "configuration-backups/000001-2026-03-09T10-00-00.000Z-page.yaml";
    const page = `version: 2\nsettings: { language: en, notify: { topic_url: "https://ntfy.sh/a", token: ${SECRET} } }\n`;
    mkdirSync(dir.file("configuration-backups"));
    writeFileSync(dir.file("page.yaml"), page);
    writeFileSync(dir.file(state), page.replace(" en", " sv"));
    const rights = { kind: "bearer", scopes: ["control", "admin"] } as const;
    const admin = { ...rights, name: "owner", created: "2026-03-01" };
    const sha256 = createHash("sha256").update("key-of-the-owner").digest("hex");
    new KeyFile(dir.path).write([{ ...admin, sha256 }]);
    await using daemon = await startLocalApi({ start: START, dir });
    const asAdmin = { authorization: "Bearer key-of-the-owner" };
    const download = async (headers = {}) => {
      const answer = await daemon.request("/local/v1/backup", headers);
      return [answer.headers.get("content-disposition"), Buffer.from(await answer.arrayBuffer())] as const;
    };
    const [name, without] = await download();
    expect([name, holdsSecret(without)]).toEqual([
      'attachment; filename="elbro-backup-2026-03-10-without-secrets.db"',
      false,
    ]);
    writeFileSync(dir.file("without.db"), without);
    expect(filesIn(dir.file("without.db")).map(({ text }) => /language: \w+/.exec(text)?.[0])).toEqual([
      "language: en",
      "language: sv",
    ]);
    const [whole, copy] = await download(asAdmin);
    expect([whole, holdsSecret(copy)]).toEqual(['attachment; filename="elbro-backup-2026-03-10.db"', true]);
    expect(readdirSync(dir.path).filter((each) => each.startsWith("elbro.db.copy"))).toEqual(["elbro.db.copy"]);

    const other = "version: 2\nsettings: { language: da }\n";
    writeFileSync(dir.file("page.yaml"), other);
    new KeyFile(dir.path).write([{ ...admin, sha256, name: "other" }]);
    expect((await upload(daemon, copy)).status).toBe(202);
    expect(holdsSecret(readFileSync(dir.file("elbro.db.waiting")))).toBe(false);
    await daemon.restart();
    expect(readFileSync(dir.file("page.yaml"), "utf8")).toBe(other);
    expect(readFileSync(dir.file("keys.json"), "utf8")).not.toContain("owner");

    expect((await upload(daemon, copy, TYPE, asAdmin)).status).toBe(202);
    await daemon.restart();
    expect([readFileSync(dir.file("page.yaml"), "utf8"), readFileSync(dir.file(state), "utf8")]).toEqual([
      page,
      page.replace(" en", " sv"),
    ]);
    expect([statSync(dir.file("page.yaml")).mode & 0o777, statSync(dir.file(state)).mode & 0o777]).toEqual([
      0o600, 0o600,
    ]);
    expect(readdirSync(dir.path).some((each) => each.startsWith("page.yaml.replaced-"))).toBe(true);
    expect(holdsSecret((await download())[1])).toBe(false);
  });

  test.each([
    ["trigger", "create trigger elsewhere before insert on setting begin select raise(abort, 'no'); end"],
    ["trigger", "create trigger archive_inserted after insert on chunk begin delete from chunk; end"],
    ["index", "create unique index elsewhere on setting (digest)"],
    ["view", "create view elsewhere as select 1"],
    ["table", "create table elsewhere (id integer references series)"],
  ])("a copy with a %s that elbro does not create is refused, and the next start works: %s", async (type, sql) => {
    using dir = new TempDir();
    await using daemon = await startLocalApi({ start: START, dir });
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
    await using daemon = await startLocalApi({ start: START, dir });
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
