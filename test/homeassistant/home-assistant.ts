/** Starts a Home Assistant with a minimal configuration and one user, and calls its APIs. */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../support/broker/mosquitto.ts";
import type { Installation } from "./install.ts";
import type { Machine } from "./machine.ts";
import { HomeAssistantSocket } from "./socket.ts";
import { until } from "./until.ts";

/** Names of the `input_boolean` entities that automations switch. */
const SWITCHES = [
  "appliance",
  "hasty_appliance",
  "heater",
  "charger",
  "plugged",
  "late_plugged",
  "van_plugged",
  "washer",
];
const START_TIMEOUT_MS = 180_000;
/** Time limit of a regular shutdown; after it, the process is killed. */
const STOP_TIMEOUT_MS = 30_000;

export interface LogLine {
  readonly level: "WARNING" | "ERROR" | "CRITICAL";
  readonly logger: string;
  readonly text: string;
}

/** State of an entity, as in a response of the REST API. */
export interface EntityState {
  readonly entity_id: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export class HomeAssistant implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #exit: Promise<unknown>;
  readonly #configFolder: string;
  readonly #url: string;
  readonly #lines: string[] = [];
  #token = "";
  #socket: HomeAssistantSocket | null = null;

  private constructor(child: ChildProcess, configFolder: string, url: string) {
    this.#process = child;
    this.#exit = new Promise((resolve) => child.once("close", resolve));
    this.#configFolder = configFolder;
    this.#url = url;
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface(stream).on("line", (line) => this.#lines.push(line));
  }

  /** Starts Home Assistant and creates its first user. */
  static async start(machine: Machine, { hass }: Installation): Promise<HomeAssistant> {
    const port = await freePort();
    const outside = mkdtempSync(machine.outside(path.join(machine.folder, "config-")));
    const inside = path.join(machine.folder, path.basename(outside));
    // Every JSON text is also YAML.
    const written = JSON.stringify(configuration(port)).replace(
      '"!include automations.yaml"',
      "!include automations.yaml",
    );
    writeFileSync(path.join(outside, "configuration.yaml"), written);
    writeFileSync(path.join(outside, "automations.yaml"), "[]\n");
    const child = machine.spawn(hass, "--skip-pip", "--config", inside);
    const started = new HomeAssistant(child, outside, `http://127.0.0.1:${port}`);
    try {
      await until("Home Assistant answers", START_TIMEOUT_MS, () => started.#isUp());
      await started.#logIn();
      return started;
    } catch (error) {
      const last = started.#lines.slice(-10).join("\n");
      await started[Symbol.asyncDispose]();
      throw new Error(`${error instanceof Error ? error.message : error}\n${last}`);
    }
  }

  get socket(): HomeAssistantSocket {
    if (!this.#socket) throw new Error("not logged in");
    return this.#socket;
  }

  get url(): string {
    return this.#url;
  }

  get log(): readonly string[] {
    return this.#lines;
  }

  /** Returns the warnings and errors in the log. */
  complaints(): LogLine[] {
    return this.#lines.flatMap((line) => {
      const [, level, logger, text] = /^\S+ \S+ (WARNING|ERROR|CRITICAL) \([^)]*\) \[([^\]]+)\] (.*)$/.exec(line) ?? [];
      if (!level || !logger) return [];
      return [{ level: level as LogLine["level"], logger, text: text ?? "" }];
    });
  }

  /** Sends a request to the REST API. Rejects with the status and the body of an error. */
  async rest<Result>(method: "GET" | "POST", pathname: string, body?: object): Promise<Result> {
    const response = await fetch(this.#url + pathname, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${pathname}: ${response.status} ${text}`);
    return JSON.parse(text) as Result;
  }

  /** Makes a long-lived token of its first user, an administrator. */
  newToken(client_name: string): Promise<string> {
    return this.socket.ask({ type: "auth/long_lived_access_token", client_name, lifespan: 1 });
  }

  state(entityId: string): Promise<EntityState> {
    return this.rest("GET", `/api/states/${entityId}`);
  }

  states(): Promise<readonly EntityState[]> {
    return this.rest("GET", "/api/states");
  }

  /** Sets the state of a sensor without an integration. */
  async show(entityId: string, state: string, attributes: object = {}): Promise<void> {
    await this.rest("POST", `/api/states/${entityId}`, { state, attributes });
  }

  /** Calls an action of an entity. `action` is for instance `number.set_value`. */
  async act(action: string, entityId: string, fields: object = {}): Promise<void> {
    await this.rest("POST", `/api/services/${action.replace(".", "/")}`, { entity_id: entityId, ...fields });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket?.[Symbol.dispose]();
    const kill = setTimeout(() => this.#process.kill("SIGKILL"), STOP_TIMEOUT_MS);
    this.#process.kill("SIGTERM");
    await this.#exit;
    clearTimeout(kill);
    rmSync(this.#configFolder, { recursive: true, force: true });
  }

  async #isUp(): Promise<true | undefined> {
    if (this.#process.exitCode !== null) throw new Error(`Home Assistant ended with ${this.#process.exitCode}`);
    return (await fetch(`${this.#url}/api/onboarding`)).ok ? true : undefined;
  }

  /** Does the first step of the onboarding and logs in. The other steps set up integrations that need the internet. */
  async #logIn(): Promise<void> {
    const clientId = `${this.#url}/`;
    const user = { name: "Test", username: "test", password: randomBytes(12).toString("hex"), language: "en" };
    const { auth_code } = await this.rest<{ auth_code: string }>("POST", "/api/onboarding/users", {
      ...user,
      client_id: clientId,
    });
    const response = await fetch(`${this.#url}/auth/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "authorization_code", code: auth_code, client_id: clientId }),
    });
    this.#token = ((await response.json()) as { access_token: string }).access_token;
    this.#socket = await HomeAssistantSocket.connect(this.#url, this.#token);
    // Since 2026.11, Home Assistant ends after 5 min unless a new HTTP configuration is confirmed.
    await this.#socket.ask({ type: "http/config/promote" }).catch(() => undefined);
  }
}

function configuration(port: number): object {
  return {
    homeassistant: {
      name: "Test",
      latitude: 56.16,
      longitude: 10.2,
      elevation: 0,
      unit_system: "metric",
      time_zone: "Europe/Copenhagen",
      country: "DK",
      currency: "DKK",
    },
    http: { server_host: "127.0.0.1", server_port: port },
    api: null,
    websocket_api: null,
    config: null,
    recorder: { commit_interval: 1 },
    history: null,
    energy: null,
    automation: "!include automations.yaml",
    script: null,
    input_boolean: Object.fromEntries(SWITCHES.map((name) => [name, { name, initial: false }])),
  };
}
