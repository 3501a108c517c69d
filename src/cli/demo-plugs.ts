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
import { promisify } from "node:util";
import type { Clock } from "../core/runtime/clock.ts";
import { HOUR_MS } from "../core/time/interval.ts";

export interface PlayedAppliance {
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

export async function playPlugs(
  appliances: readonly PlayedAppliance[],
  clock: Pick<Clock, "now">,
): Promise<PlayedPlugs> {
  const servers = await Promise.all(appliances.map((appliance) => serve(playedPlug(appliance, clock))));
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async close() {
      await Promise.all(servers.map((server) => promisify(server.close.bind(server))()));
    },
  };
}

/** Returns the function of a plug that answers a command with JSON. */
function playedPlug({ watts, refusals = 0 }: PlayedAppliance, clock: Pick<Clock, "now">): (command: string) => object {
  let isOn = false;
  let since = clock.now();
  let kwh = 0;
  let refusalsLeft = refusals;
  return (command) => {
    if (refusalsLeft > 0) {
      refusalsLeft--;
      return { WARNING: "Need user=<username>&password=<password>" };
    }
    const now = clock.now();
    kwh += ((isOn ? watts : 0) / 1_000) * (Math.max(0, now - since) / HOUR_MS);
    since = now;
    const switched = /\bPower\d* (ON|OFF)/i.exec(command)?.[1];
    if (switched) isOn = switched.toUpperCase() === "ON";
    const Total = Math.round(kwh * 1_000) / 1_000;
    if (/^Status 10$/i.test(command)) return { StatusSNS: { ENERGY: { Total, Power: isOn ? watts : 0 } } };
    return /^Backlog/i.test(command) ? {} : { POWER: isOn ? "ON" : "OFF" };
  };
}

async function serve(answer: ReturnType<typeof playedPlug>): Promise<Server> {
  const server = createServer(({ url = "" }, response) => {
    const command = new URL(url, "http://plug").searchParams.get("cmnd") ?? "";
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer(command)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
