/** Tests the change from the demo to a configured home, and back if that home cannot be started. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../../../src/simulator/simulator.ts";
import { KeyFile } from "../../../src/storage/api-key-file.ts";
import { databasePathIn } from "../../../src/storage/open-storage.ts";
import { freePort } from "../../support/broker/mosquitto.ts";
import { compareRequests } from "../../support/daemon/request-oracle.ts";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

let simulator: Simulator;
let folder: TempDir;
let port: number;
beforeEach(async () => {
  simulator = await startSimulator({ now: Date.now, homes: ["danish"] });
  folder = new TempDir();
  port = await freePort();
});
afterEach(async () => {
  await simulator.close();
  folder[Symbol.dispose]();
});

/** Starts the demo in an empty folder, with the simulator as the service for the set-up. */
function startDemo(environment: Record<string, string> = {}): DaemonProcess {
  const places = { ELBRO_SERVICE_BASE_URL: simulator.url, ELBRO_API_PORT: String(port), ELBRO_BROKER_PORT: "0" };
  return new DaemonProcess([], { ...places, ...environment }, { folder: folder.path });
}

function postSetUp(step: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json", "x-elbro-page": "1" };
  const url = `http://127.0.0.1:${port}/local/v1/setup${step}`;
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

async function setUp(): Promise<{ readonly key: string }> {
  const response = await postSetUp("", {
    keys: { "consumer.api_key": simulator.keys.consumerKey, language: "en" },
    key_name: "phone",
  });
  expect(response.status).toBe(201);
  return (await response.json()) as { key: string };
}

/** Returns the state of the set-up; null without a response. */
function stateOfSetup(): Promise<{ readonly state: string; readonly failure: string | null } | null> {
  const headers = { "x-elbro-page": "1" };
  return fetch(`http://127.0.0.1:${port}/local/v1/setup`, { headers }).then(
    (response) => response.json() as Promise<{ state: string; failure: string | null }>,
    () => null,
  );
}

/** Returns the MQTT client id in a database. Each database has its own. */
function clientIdIn(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("select value from setting where name = 'client_id'").get();
  database.close();
  return row?.value;
}

test("with ELBRO_DATA_DIR the demo's database is renamed, and the home gets a new one", async () => {
  const data = folder.file("data");
  await using daemon = startDemo({ ELBRO_DATA_DIR: data });
  await daemon.line(/^ *key /);
  // The test of the key counts for the account of the home.
  const tried = await postSetUp("/test", {
    connection: "service",
    keys: { "consumer.api_key": simulator.keys.consumerKey },
  });
  expect(await tried.json()).toMatchObject({ works: true, addresses: [{ region: "DK1" }] });
  expect(simulator.answered()).toHaveLength(1);
  const { key } = await setUp();
  await expect.poll(stateOfSetup).toMatchObject({ state: "done" });
  const now = await fetch(`http://127.0.0.1:${port}/local/v1/now`, { headers: { authorization: `Bearer ${key}` } });
  expect(now.status).toBe(200);
  expect((await daemon.end("SIGTERM")).code).toBe(0);
  compareRequests(simulator, [data]);
  const [aside = "none"] = readdirSync(data).filter((name) => name.startsWith("demo-"));
  const ids = [clientIdIn(databasePathIn(`${data}/${aside}`)), clientIdIn(databasePathIn(data))];
  expect(ids).toEqual([expect.stringMatching(/^elbro_/), expect.stringMatching(/^elbro_/)]);
  expect(ids[0]).not.toBe(ids[1]);
});

test("a restored copy with another page.yaml is in use after one start of the program", async () => {
  const plan = { name: "Dishwasher", home: "home", kind: "window", hours: 2, from: "19:00", ready_by: "06:30" };
  let key = "";
  const ask = (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) => {
    const type = typeof body === "string" ? "application/json" : "application/octet-stream";
    const headers = { authorization: `Bearer ${key}`, "content-type": type };
    return fetch(`http://127.0.0.1:${port}/local/v1/${path}`, { method, headers, ...(body && { body }) });
  };
  const planIds = async () => {
    const response = await ask("GET", "plans").catch(() => null);
    const { plans = [], waiting = [] } = ((await response?.json()) ?? {}) as {
      readonly plans?: readonly { readonly id: string }[];
      readonly waiting?: readonly { readonly id: string }[];
    };
    return [...plans, ...waiting].map(({ id }) => id);
  };
  {
    await using daemon = startDemo();
    await daemon.line(/^ *key /);
    ({ key } = await setUp());
    await expect.poll(stateOfSetup).toMatchObject({ state: "done" });
    expect((await ask("POST", "plans", JSON.stringify(plan))).status).toBe(201);
    const copy = new Uint8Array(await (await ask("GET", "backup")).arrayBuffer());
    expect((await ask("DELETE", "plans/dishwasher")).status).toBe(200);
    expect((await ask("POST", "backup", copy)).status).toBe(202);
    expect((await daemon.end("SIGTERM")).code).toBe(0);
  }
  // The configuration without the plan is read before the copy replaces page.yaml.
  await using daemon = startDemo();
  await expect.poll(planIds).toEqual(["dishwasher"]);
  expect(daemon.output.match(/API listens/g)).toHaveLength(2);
  expect((await daemon.end("SIGTERM")).code).toBe(0);
});

test("if the home cannot be started, the demo continues and shows the cause, and a second try works", async () => {
  await using daemon = startDemo();
  await daemon.line(/^ *key /);
  // The demo listens on 127.0.0.1 only; the home listens on every address.
  const other = await listenOn("127.0.0.2", port);
  await setUp();
  const reason = expect.stringContaining(`port ${port} of the api is in use by another program`);
  await expect
    .poll(stateOfSetup)
    .toEqual({ state: "open", file: expect.stringMatching(/page\.yaml$/), failure: reason });
  const data = folder.file("data");
  expect(readdirSync(data).filter((name) => name.startsWith("page.yaml"))).toEqual(["page.yaml.failed"]);
  expect(readFileSync(`${data}/page.yaml.failed`, "utf8")).toContain("consumer:");
  expect(new KeyFile(folder.file("data")).read()).toMatchObject({ keys: [] });
  expect(daemon.output).toContain("the home that was set up cannot be started: the demo continues");

  await new Promise((resolve) => other.close(resolve));
  const { key } = await setUp();
  await expect.poll(stateOfSetup).toMatchObject({ state: "done", failure: null });
  expect(new KeyFile(folder.file("data")).read()).toMatchObject({ keys: [{ name: "phone" }] });
  const now = await fetch(`http://127.0.0.1:${port}/local/v1/now`, { headers: { authorization: `Bearer ${key}` } });
  expect(now.status).toBe(200);
  expect((await daemon.end("SIGTERM")).code).toBe(0);
});

function listenOn(host: string, at: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => server.listen(at, host, () => resolve(server)));
}
