/**
 * MQTT with a real Mosquitto. Measures the delay of a price change at a subscriber and the time for the state of ten
 * homes. Also measures the memory of the embedded broker under hostile clients, and of the daemon after a day without a
 * broker.
 */
import { execFileSync } from "node:child_process";
import path from "node:path";
import mqtt from "mqtt";
import { simulatedClock } from "../../src/cli/system-clock.ts";
import type { Clock } from "../../src/core/runtime/clock.ts";
import { DueLoop } from "../../src/state/due-loop.ts";
import { LONG_DAY, QUARTER_MS, QuarterPriceHomes } from "../support/bench/quarter-price-homes.ts";
import { HostileClients, hostilePackets } from "../support/broker/hostile-clients.ts";
import { freePort, Mosquitto } from "../support/broker/mosquitto.ts";
import { TestMqttClient } from "../support/broker/test-mqtt-client.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { NODE_FLAGS } from "../support/processes/node-flags.ts";

const HOMES = 10;
const ALL: ReadonlySet<string> = new Set(["homes"]);
/** Real duration of a quarter hour. Every price change of every home is one measurement. */
const QUARTER_LASTS_MS = 100;
const EDGES = 180;
const FULL_STATES = 5;
const HOSTILE = 200;
const HOSTILE_MS = 4_000;
const LOOK_EVERY_MS = 25;
/** A tenth of the connection attempts of a real day, without pauses between them. */
const AWAY_ATTEMPTS = 20_000;

export async function run(): Promise<Record<string, number>> {
  const edges = await edgeLatencies();
  return {
    edge_p50_ms: quantile(edges, 0.5),
    edge_p99_ms: quantile(edges, 0.99),
    full_state_10_homes_ms: await fullStateMs(),
    hostile_mb: await hostileMb(),
    attributes_max_bytes: longestAttributes(),
    away_day_growth_mb: await awayDayGrowthMb(),
  };
}

/**
 * Returns the delays from each interval boundary until the price of each home is at a subscriber, in ms, ascending.
 */
async function edgeLatencies(): Promise<number[]> {
  const speed = QUARTER_MS / QUARTER_LASTS_MS;
  const source = { boot: "bench", wallMs: Date.now, monotonicMs: () => performance.now() };
  await using broker = await Mosquitto.start();
  const listener = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, { protocolVersion: 5 });
  await listener.subscribeAsync("elbro/+/price", { qos: 1 });
  await using link = new TestMqttClient({ to: broker.port });
  await link.up();
  const clock: Clock = simulatedClock(source, LONG_DAY, speed);
  const latencies: number[] = [];
  listener.on("message", () => latencies.push((clock.now() % QUARTER_MS) / speed));
  const house = new QuarterPriceHomes(HOMES);
  const stop = new AbortController();
  const edges = new DueLoop({
    clock,
    items: () => ALL,
    work: (_, now) => {
      const { messages, until } = house.at(now);
      link.show(messages);
      return until;
    },
    trust: () => true,
  });
  const running = edges.run(stop.signal);
  await clock.sleepUntil(LONG_DAY + (EDGES + 0.8) * QUARTER_MS, stop.signal);
  stop.abort();
  await running;
  await listener.endAsync(true);
  // The first state is not a change at a boundary.
  return latencies.slice(HOMES).sort((a, b) => a - b);
}

/**
 * Returns the time from the first connection attempt until the last retained message of ten homes is at a subscriber.
 */
async function fullStateMs(): Promise<number> {
  const { messages } = new QuarterPriceHomes(HOMES).at(LONG_DAY);
  const times: number[] = [];
  for (let i = 0; i < FULL_STATES; i++) {
    await using broker = await Mosquitto.start();
    const listener = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, { protocolVersion: 5 });
    await listener.subscribeAsync("#", { qos: 1 });
    const missing = new Set(messages.map(({ topic }) => topic));
    const complete = new Promise<number>((resolve) => {
      listener.on("message", (topic) => missing.delete(topic) && missing.size === 0 && resolve(performance.now()));
    });
    const began = performance.now();
    await using link = new TestMqttClient({ to: broker.port });
    link.show(messages);
    times.push((await complete) - began);
    await listener.endAsync(true);
  }
  return quantile(
    times.sort((a, b) => a - b),
    0.5,
  );
}

/** Returns the maximum growth of the embedded broker's process under hostile sockets, while a real client connects. */
async function hostileMb(): Promise<number> {
  await using broker = new LineProcess([
    ...NODE_FLAGS,
    path.join(import.meta.dirname, "../support/broker/guarded-broker-process.ts"),
  ]);
  const port = Number(await broker.ask());
  const login = { username: "ha", password: "open sesame", protocolVersion: 4 } as const;
  await (await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, login)).endAsync();
  const before = Number(await broker.ask("collect"));
  using hostile = new HostileClients();
  const kinds = Object.values(hostilePackets);
  for (const bytes of kinds) await hostile.open(port, HOSTILE / kinds.length, bytes, { again: true });
  let most = 0;
  for (const until = performance.now() + HOSTILE_MS; performance.now() < until; ) {
    most = Math.max(most, Number(await broker.ask("look")));
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  await (await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, login)).endAsync();
  return (most - before) / 1e6;
}

/**
 * Returns the longest JSON that a home publishes as attributes, on the day of 100 quarters with the next day known.
 */
function longestAttributes(): number {
  const { messages } = new QuarterPriceHomes(1).at(LONG_DAY);
  const topics = messages.flatMap(({ payload }) =>
    [...payload.matchAll(/"json_attributes_topic":"([^"]+)"/g)].map((match) => match[1]),
  );
  const lengths = messages
    .filter(({ topic }) => topics.includes(topic))
    .map(({ payload }) => Buffer.byteLength(payload));
  return Math.max(...lengths);
}

async function awayDayGrowthMb(): Promise<number> {
  const script = path.join(import.meta.dirname, "../support/bench/offline-day-process.ts");
  const args = [...NODE_FLAGS, script, String(await freePort()), String(AWAY_ATTEMPTS)];
  return Math.max(0, Number(execFileSync(process.execPath, args, { encoding: "utf8" }))) / 1e6;
}

/** Returns a quantile. `sorted` is ascending and not empty. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
