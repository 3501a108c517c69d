import { existsSync } from "node:fs";
import { runningDaemon } from "../../api/socket.ts";
import { commandHint, isContainer } from "../../config/command-hint.ts";
import { loadConfiguration } from "../../config/reading/load-config-file.ts";
import type { Config } from "../../config/schema/schema.ts";
import { StartError } from "../../core/status/start-error.ts";
import { connectionTo, hasNoUsers, startBroker, withoutLogin } from "../../mqtt/broker/start-broker.ts";
import { type ClearResult, clearPublished } from "../../mqtt/clear-published.ts";
import { otherShards } from "../../mqtt/other-shards.ts";
import { KeyValueStore } from "../../storage/key-value-store.ts";
import { databasePathIn, openDataDir } from "../../storage/open-storage.ts";
import type { Arguments } from "../arguments.ts";
import { requireOwner } from "../connect.ts";
import { isDemo } from "../demo.ts";
import { leftovers } from "../leftovers.ts";
import { print } from "../output.ts";
import { systemClock } from "../system-clock.ts";

export const line = {
  usage: "forget",
  about:
    "Clears elbro's retained topics from the broker and its devices from Home Assistant. Then lists the items that you have\nto remove yourself. Stop the daemon first. With the built-in broker, the command starts this broker and\nwaits up to 45 s for Home Assistant to connect. If elbro starts again, it publishes everything again.",
  takes: ["config"] as const,
};

/** Home Assistant reconnects to a lost broker within 10 s, and sends its birth message some seconds later. */
const HOME_ASSISTANT_MS = 45_000;
/** Time limit. A broker processes hundreds of messages per second. */
const BROKER_MS = 60_000;
const COLUMN = 15;

export async function main(given: Arguments): Promise<number> {
  const { config, path } = loadConfiguration(given.configPath, process.env);
  if (isDemo(config)) throw new StartError("no account is configured, and the demo leaves nothing behind");
  if (await runningDaemon(config.data_dir))
    throw new StartError(`stop elbro first: it runs with ${config.data_dir} and would publish everything again`);
  const result = await forgetIn(config, systemClock(given.simulated).now());
  const where = config.mqtt.url === undefined ? "the built-in broker" : withoutLogin(config.mqtt.url);
  print(`${outcomeOf(result, where, config)}\n\nRemove the rest yourself:`);
  for (const [what, how] of leftovers({ config, configPath: path, isContainer: isContainer() }))
    print(`  ${what.padEnd(COLUMN)} ${how}`);
  return result === null || result.left > 0 ? 1 : 0;
}

/** Clears the topics that are listed in the configured database. Returns null without a database. */
async function forgetIn(config: Config, now: number): Promise<ClearResult | null> {
  if (!existsSync(databasePathIn(config.data_dir))) return null;
  requireOwner(config.data_dir);
  const { database } = openDataDir(config.data_dir, now);
  try {
    return await forgetTopics(config, new KeyValueStore(database));
  } finally {
    database.close();
  }
}

async function forgetTopics(config: Config, memory: KeyValueStore): Promise<ClearResult> {
  const others = otherShards(config);
  const broker = hasNoUsers(config) ? null : await startBroker(config, { info: ignore, warn: ignore }, ONLY_USERS);
  const isEmbedded = config.mqtt.url === undefined;
  if (isEmbedded && !broker) return { cleared: 0, left: 0, reason: null };
  if (broker) print(`waiting for Home Assistant at port ${broker.port}; Ctrl-C ends this`);
  try {
    return await clearPublished({
      ...connectionTo(broker, config),
      clientId: memory.read("client_id") ?? "elbro_forget",
      memory,
      isOthers: (topic) => others.publish(topic),
      birthTopic: isEmbedded ? `${config.mqtt.discovery_prefix}/status` : null,
      withinMs: isEmbedded ? HOME_ASSISTANT_MS : BROKER_MS,
    });
  } finally {
    await broker?.close();
  }
}

const ONLY_USERS = { anonymous: false };
const ignore = () => undefined;

function outcomeOf(result: ClearResult | null, where: string, { data_dir, mqtt }: Config): string {
  if (result === null)
    return `no database in ${data_dir}, so it is not known what was published; name the data directory that elbro used`;
  const { cleared, left, reason } = result;
  if (left > 0 && mqtt.url === undefined)
    return `the devices stay in Home Assistant: ${reason}. Delete them there, or its MQTT integration`;
  if (left > 0)
    return `cleared ${cleared} topics at ${where}; ${left} are left: ${reason}. Try again: ${commandHint(process)("forget")}`;
  return cleared === 0 ? `nothing of elbro is left at ${where}` : `cleared ${cleared} topics at ${where}`;
}
