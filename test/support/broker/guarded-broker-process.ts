/**
 * Runs the embedded broker in its own process, configured as in the daemon, to measure its memory under hostile
 * clients. Prints its port. For every line that it reads, prints its resident memory in bytes; the line `collect`
 * collects garbage first.
 */
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const broker = await startEmbeddedBroker({
  host: "127.0.0.1",
  port: 0,
  users: [{ name: "ha", password: "open sesame", commands: false }],
  anonymous: false,
  baseTopic: "elbro",
  discoveryPrefix: "homeassistant",
  onRefused: () => undefined,
  onConnectionRefused: () => undefined,
});
process.stdout.write(`${broker.port}\n`);
createInterface(process.stdin).on("line", (line) => {
  if (line === "collect") collect();
  process.stdout.write(`${process.memoryUsage.rss()}\n`);
});
