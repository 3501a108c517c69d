/** A test daemon for requests to `/local/v1`. */
import { expect } from "vitest";
import { type ConfigInput, LAN_KEY } from "../daemon/test-config.ts";
import { TestDaemon, type TestDaemonOptions } from "../daemon/test-daemon.ts";

/** Quota for a simulated device that sends a request every minute of a day within a second of real time. */
const QUOTA = { requests_per_minute: 10_000, requests_per_day: 1_000_000 };

/** Returns the section `third_party` with the keys of the simulator. */
export function thirdPartyWith(places: NonNullable<ConfigInput["third_party"]>["places"]): ConfigInput {
  return {
    third_party: { api_key: "demo-partner", api_secret: "demo-partner-secret", hash_encoding: "hex", places },
  };
}

interface LocalApiOptions extends TestDaemonOptions {
  readonly scopes?: Scope[];
}

type Scope = "read" | "control" | "admin";

/** Returns a configuration whose key has these scopes. */
function localConfig(scopes: Scope[] = ["control"]): ConfigInput {
  const keys = [{ name: "test", key: LAN_KEY, scopes }];
  return { api: { host: "127.0.0.1", port: 0, keys, ...QUOTA } };
}

/** Starts a daemon with one home and a generous quota. */
export function startLocalApi({ config, scopes, simulator, ...options }: LocalApiOptions): Promise<TestDaemon> {
  return TestDaemon.start({
    ...options,
    simulator: { homes: ["danish"], ...simulator },
    config: { ...localConfig(scopes), ...config },
  });
}

/** Sends a GET request. Returns the JSON body. */
export async function askJson(daemon: TestDaemon, path: string): Promise<Record<string, unknown>> {
  const answer = await daemon.request(`/local/v1/${path}`, { accept: "application/json" });
  const text = await answer.text();
  expect(`${path} ${answer.status}`, text).toBe(`${path} 200`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Sends a GET request. Returns status, body and the `x-elbro-reason` header. */
export async function askText(daemon: TestDaemon, path: string): Promise<readonly [number, string, string | null]> {
  const answer = await daemon.request(`/local/v1/${path}`);
  return [answer.status, await answer.text(), answer.headers.get("x-elbro-reason")];
}
