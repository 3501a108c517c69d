/**
 * Played plugs of the demo: Tasmota's HTTP interface on loopback, one port per plug. They switch, and measure the
 * appliance behind them.
 *
 * Source: Tasmota 15, docs "Commands", "With Web Requests". Their timers are not played, because the demo ends with
 * elbro.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../core/runtime/clock.ts";
import { HOUR_MS } from "../core/time/interval.ts";

export interface PlayedAppliance {
  readonly name: string;
  /** Power while it is ON. */
  readonly watts: number;
  /** Number of requests that are refused for a missing password, before the plug lets elbro in. */
  readonly refusals?: number;
}

export interface PlayedPlugs {
  /** URLs of the plugs, in the order of the appliances. */
  readonly urls: readonly string[];
  readonly close: () => Promise<void>;
}

/** Starts a server for each appliance. */
export async function playPlugs(
  appliances: readonly PlayedAppliance[],
  clock: Pick<Clock, "now">,
): Promise<PlayedPlugs> {
  const servers = await Promise.all(appliances.map((appliance) => serve(new PlayedPlug(appliance, clock))));
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async close() {
      await Promise.all(servers.map((server) => closed(server)));
    },
  };
}

class PlayedPlug {
  readonly #appliance: PlayedAppliance;
  readonly #clock: Pick<Clock, "now">;
  #isOn = false;
  #since: number;
  #kwh = 0;
  #refusalsLeft: number;

  constructor(appliance: PlayedAppliance, clock: Pick<Clock, "now">) {
    this.#appliance = appliance;
    this.#clock = clock;
    this.#since = clock.now();
    this.#refusalsLeft = appliance.refusals ?? 0;
  }

  /** Returns the answer to a command, as JSON. */
  answer(command: string): object {
    if (this.#refusalsLeft > 0) {
      this.#refusalsLeft--;
      return { WARNING: "Need user=<username>&password=<password>" };
    }
    this.#count();
    const switched = /\bPower\d* (ON|OFF)/i.exec(command)?.[1];
    if (switched) this.#isOn = switched.toUpperCase() === "ON";
    if (/^Status 10$/i.test(command)) return { StatusSNS: { ENERGY: { Total: round(this.#kwh), Power: this.#watts } } };
    return /^Backlog/i.test(command) ? {} : { POWER: this.#isOn ? "ON" : "OFF" };
  }

  get #watts(): number {
    return this.#isOn ? this.#appliance.watts : 0;
  }

  /** Adds the energy since the last answer. */
  #count(): void {
    const now = this.#clock.now();
    this.#kwh += (this.#watts / 1_000) * (Math.max(0, now - this.#since) / HOUR_MS);
    this.#since = now;
  }
}

async function serve(plug: PlayedPlug): Promise<Server> {
  const server = createServer(({ url = "" }, response) => {
    const command = new URL(url, "http://plug").searchParams.get("cmnd") ?? "";
    response.setHeader("content-type", "application/json").end(JSON.stringify(plug.answer(command)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // The demo ends although a connection is open.
  server.unref();
  return server;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function round(kwh: number): number {
  return Math.round(kwh * 1_000) / 1_000;
}
