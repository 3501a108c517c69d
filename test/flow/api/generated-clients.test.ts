import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import type { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { startLocalApi } from "../../support/http/local-api.ts";
import { planEntry } from "../../support/plans/plan-topics.ts";
import { lacks, TEST_PACKAGES } from "../../support/runner/needs.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");
const ROOT = path.resolve(import.meta.dirname, "../../..");

const run = promisify(execFile);

/**
 * Starts a daemon with a price and a plan. Returns it with its OpenAPI document in a folder, and the client's
 * environment.
 */
async function serve(): Promise<{ daemon: TestDaemon; dir: TempDir; env: NodeJS.ProcessEnv }> {
  const plans = [planEntry({ kind: "window", hours: 2, from: "10:00", ready_by: "20:00", kwh: 2 })];
  const daemon = await startLocalApi({ start: MORNING, config: { plans } });
  await daemon.clock.runUntil(MORNING + 5 * MINUTE_MS);
  const dir = new TempDir();
  writeFileSync(dir.file("openapi.json"), await (await fetch(`${daemon.url}/openapi.json`)).text());
  return { daemon, dir, env: { ...process.env, URL: daemon.url, KEY: LAN_KEY } };
}

/** Code that a user writes with the types of openapi-typescript. The compiler must report its two mistakes. */
const TYPESCRIPT = `
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

const { URL: baseUrl = "", KEY } = process.env;
const api = createClient<paths, "application/json">({ baseUrl, headers: { Authorization: \`Bearer \${KEY}\` } });

const level = (view: components["schemas"]["NowOfOne"]): string => view.level ?? "unknown";
const now = await api.GET("/local/v1/now", { params: { query: { home: "home" } } });
assert(now.data !== undefined && "price" in now.data);
assert.equal(typeof now.data.price, "number");
assert.match(level(now.data), /cheap|normal|expensive/);

const query = { hours: "3", ready_by: "20:00", max_price: 2.5, kind: "slots", format: "json" } as const;
const cheap = await api.GET("/local/v1/cheap", { params: { query } });
assert.equal(typeof cheap.data?.on, "boolean");
assert.equal(cheap.data?.asked.max_price, 2.5);
const word = await api.GET("/local/v1/cheap", { params: { query: { hours: "1h30m" } }, parseAs: "text" });
assert.match(String(word.data), /^(ON|OFF)$/);
export const mistakes = async () => {
  // @ts-expect-error hours are missing
  await api.GET("/local/v1/cheap", { params: { query: { home: "home" } } });
  // @ts-expect-error a price is a number
  await api.GET("/local/v1/cheap", { params: { query: { hours: "3", max_price: "2.5" } } });
};

const { data: known } = await api.GET("/consumer/v1/me/addresses");
const [first] = known?.data ?? [];
assert(first);
const range = { from: "2026-03-10T00:00:00+01:00", to: "2026-03-11T00:00:00+01:00", resolution: "hour" } as const;
const prices = await api.GET("/consumer/v1/me/addresses/{addressId}/prices", {
  params: { path: { addressId: first.id }, query: range },
});
assert.equal(prices.data?.data.length, 24);

const plan = { plan: "washer" };
const changed = await api.POST("/local/v1/plans/{plan}", { params: { path: plan }, body: { hours: 1.5 } });
assert.equal(changed.data?.settings.hours?.value, 1.5);
const missing = await api.GET("/local/v1/plans/{plan}", { params: { path: { plan: "nobody" } } });
assert.equal(missing.error?.errorCode, "resource_not_found");

const login = { params: { header: { "x-elbro-page": "1" } }, body: { key: KEY ?? "" } };
const { data: session, response } = await api.POST("/local/v1/session", login);
assert.equal(session?.control, true);
assert.match(response.headers.get("set-cookie") ?? "", /^elbro_session_[0-9]+=/);

const { data: health } = await api.GET("/healthz");
assert.equal(health?.checks.prices.ok, true);
console.log("typescript: done");
`;

test.skipIf(lacks("openapi-typescript"))("a client of openapi-typescript compiles and works", async () => {
  const { daemon, dir, env } = await serve();
  await using _ = daemon;
  using folder = dir;
  symlinkSync(path.join(TEST_PACKAGES, "node_modules"), folder.file("node_modules"));
  writeFileSync(folder.file("package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(folder.file("program.ts"), TYPESCRIPT);
  const options = { cwd: folder.path, env };
  const bin = folder.file("node_modules/.bin");
  await run(path.join(bin, "openapi-typescript"), ["openapi.json", "-o", "schema.ts"], options);
  const types = ["--types", "node", "--typeRoots", path.join(ROOT, "node_modules/@types")];
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--allowImportingTsExtensions"];
  const target = ["--module", "nodenext", "--target", "es2024", "--skipLibCheck"];
  const compiler = path.join(ROOT, "node_modules/.bin/tsc");
  const compiled = await run(compiler, [...strict, ...target, ...types, "program.ts"], options).catch(
    (error) => error.stdout,
  );
  expect(compiled).toEqual({ stdout: "", stderr: "" });
  const { stdout } = await run(process.execPath, ["program.ts"], options);
  expect(stdout).toBe("typescript: done\n");
});
