/** A running house whose LAN is asked for what small devices want. */
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";
import type { Config } from "../../src/config/schema.ts";
import type { EpochMs } from "../../src/core/interval.ts";
import { localOperations } from "../../src/server/local-operations.ts";
import type { LocalOperationId } from "../../src/server/local-paths.ts";
import type { SimulatorOptions } from "../../src/simulator/simulator.ts";
import type { TempDir } from "./temp-dir.ts";
import { LAN_KEY, TestDaemon } from "./test-daemon.ts";

/** Room for a device that asks every minute of a day, in a test that takes a second. */
const QUOTA = { requests_per_minute: 10_000, requests_per_day: 1_000_000 };

interface LocalApiOptions {
  readonly start: EpochMs;
  readonly simulator?: Omit<SimulatorOptions, "now">;
  readonly config?: Partial<Config>;
  readonly dir?: TempDir;
  readonly serviceAheadMs?: number;
  readonly scopes?: ("read" | "control")[];
}

export function localConfig(scopes: ("read" | "control")[] = ["control"]): Partial<Config> {
  const keys = [{ name: "test", key: LAN_KEY, scopes }];
  return { api: { host: "127.0.0.1", port: 0, keys, ...QUOTA } as unknown as Config["api"] };
}

export function startLocalApi({ config, scopes, simulator, ...options }: LocalApiOptions): Promise<TestDaemon> {
  return TestDaemon.start({
    ...options,
    simulator: { homes: ["danish"], ...simulator },
    config: { ...localConfig(scopes), ...config },
  });
}

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Asks for JSON and holds it against the operation's own schema. */
export async function askJson(house: TestDaemon, id: LocalOperationId, path: string): Promise<Record<string, unknown>> {
  const answer = await house.ask(`/local/v1/${path}`, { accept: "application/json" });
  const text = await answer.text();
  expect(`${path} ${answer.status}`, text).toBe(`${path} 200`);
  const body = JSON.parse(text) as Record<string, unknown>;
  const fits = ajv.compile(localOperations[id].schema);
  expect(fits(body) ? [] : fits.errors, path).toEqual([]);
  return body;
}

/** Status, body and the reason beside it. */
export async function askText(house: TestDaemon, path: string): Promise<readonly [number, string, string | null]> {
  const answer = await house.ask(`/local/v1/${path}`);
  return [answer.status, await answer.text(), answer.headers.get("x-elbro-reason")];
}

export function post(house: TestDaemon, path: string, body: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${house.daemon.apiPort}/local/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${LAN_KEY}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
