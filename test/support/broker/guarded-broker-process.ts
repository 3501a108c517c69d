/**
 * The embedded broker as the daemon configures it, in a process of its own: for the memory that hostile clients cost it. Prints its
 * port; then, for every line it reads, its resident memory in bytes and whether a client is logged in.
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
