/** Prints the address of the dashboard at a start, and prices and next runs. */
import { lanUrls } from "../api/lan-urls.ts";
import { isContainer } from "../config/command-hint.ts";
import { dashboardUrlOf } from "../config/dashboard-url.ts";
import type { Config } from "../config/schema/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { Daemon } from "../daemon.ts";
import { greeting, houseText } from "./greeting.ts";

/** Maximum number of homes in the text of a start. */
const MAX_GREETED = 8;
/** Time in ms to wait for the prices of all homes. After it, homes without a price are printed without one. */
const GREETING_WAIT_MS = 60_000;

/** Prints the address of the dashboard, and prices and next runs once they are known. */
export function greet(config: Config, daemon: Daemon, clock: Clock, write: (line: string) => void): void {
  const say = (text: string) => text.trimEnd().split("\n").forEach(write);
  const broker =
    config.mqtt.url === undefined ? `built-in broker, port ${daemon.brokerPort}` : new URL(config.mqtt.url).host;
  say(greeting(dashboardAt(config.api, daemon.apiPort), broker));
  const startedMs = clock.monotonicMs();
  let isGreeted = false;
  daemon.published.subscribe(() => {
    if (isGreeted) return;
    const now = clock.now();
    const prices = daemon.currentPrices(now, MAX_GREETED);
    const isWhole = prices.every(({ price }) => price !== null);
    const isLate = clock.monotonicMs() - startedMs >= GREETING_WAIT_MS;
    isGreeted = prices.some(({ price }) => price !== null) && (isWhole || isLate);
    if (isGreeted) say(houseText({ prices, runs: daemon.nextRuns(now) }, daemon.calendar, now));
  });
}

/** Returns the dashboard's address on the LAN; localhost in a container, where the LAN address is unknown. */
function dashboardAt(api: Config["api"], port: number): string {
  if (process.env.SUPERVISOR_TOKEN !== undefined) return "in the side bar of Home Assistant";
  const [lan] = isContainer() ? [] : lanUrls({ ...api, port });
  return dashboardUrlOf(api) ?? lan ?? `http${api.tls ? "s" : ""}://localhost:${port}/`;
}
