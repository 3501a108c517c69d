/**
 * Simulates a day without a broker in its own process: states change and connections fail. Arguments: a port without a
 * listener, and the number of connection attempts. Prints the growth of resident memory in bytes, after garbage
 * collection.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { RetainedPublisher } from "../../../src/mqtt/client/retained-publisher.ts";
import { runSession } from "../../../src/mqtt/client/session.ts";
import { openBrokerStream } from "../../../src/mqtt/client/transport.ts";
import { LONG_DAY, QUARTER_MS, QuarterPriceHomes } from "./quarter-price-homes.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const [port, attempts] = process.argv.slice(2).map(Number);
const homes = new QuarterPriceHomes(10);
const publisher = new RetainedPublisher({ read: () => null, write: () => undefined }, []);
const signal = new AbortController().signal;
const options = {
  open: (stop: AbortSignal) => openBrokerStream({ url: `mqtt://127.0.0.1:${port}` }, stop),
  clientId: "elbro_away",
  statusTopic: "elbro/status",
  subscriptions: () => [],
  onUp: () => undefined,
  onDown: () => undefined,
  onRefused: () => undefined,
  onAccepted: () => undefined,
  onMessage: () => undefined,
  random: () => 0,
};

async function day(tries: number): Promise<number> {
  const triesAnEdge = Math.ceil(tries / 96);
  for (let edge = 0; edge < 96; edge++) {
    publisher.show(homes.at(LONG_DAY + edge * QUARTER_MS).messages);
    publisher.detach();
    for (let i = 0; i < triesAnEdge; i++) await runSession(options, 5, { qos: 1, retain: true }, signal);
  }
  collect();
  return process.memoryUsage.rss();
}

const before = await day((attempts ?? 0) / 4);
process.stdout.write(`${(await day(attempts ?? 0)) - before}\n`);
