/** Lists data that elbro does not delete when it is removed, on this machine and elsewhere. The owner removes it. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { Config } from "../config/schema/schema.ts";
import { plugFamilies } from "../core/plugs/families/families.ts";
import type { PlugFamilyRow } from "../core/plugs/families/plug-family.ts";
import { targetOf } from "../integrations/notify/note.ts";

export interface LeftoverOptions {
  readonly config: Config;
  /** Path of the configuration file; null without one. */
  readonly configPath: string | null;
  readonly isContainer: boolean;
  /** Returns true if a file exists. */
  readonly exists?: (file: string) => boolean;
}

/** An item to remove: its description, and its place or a command. */
type Leftover = readonly [what: string, how: string];

const UNIT = "/etc/systemd/system/elbro.service";

/** Returns all items, in the order in which to remove them. */
export function leftovers({ config, configPath, isContainer, exists = existsSync }: LeftoverOptions): Leftover[] {
  const { accounts_dir: accounts, archive, data_dir: dataDir, home_assistant: homeAssistant, mqtt, notify } = config;
  const found: Leftover[] = [];
  if (exists(UNIT))
    found.push([
      "systemd",
      `systemctl disable --now elbro; rm -r ${UNIT} /opt/elbro /etc/elbro /var/lib/private/elbro`,
    ]);
  if (isContainer) found.push(["container", "docker rm -f, docker volume rm and docker image rm with their names"]);
  if (exists(dataDir))
    found.push(["data", `${path.resolve(dataDir)}: prices, usage, savings, keys, saved plans, copies`]);
  if (configPath !== null)
    found.push(["configuration", `${path.resolve(configPath)}, its backups and the files it names`]);
  if (accounts !== undefined) found.push(["accounts", path.resolve(accounts)]);
  if (mqtt.url === undefined)
    found.push(["Home Assistant", "its MQTT integration, which used elbro's built-in broker (or set another broker)"]);
  else if (mqtt.username !== undefined) found.push(["broker", `the user ${mqtt.username} and its access rules`]);
  found.push(["Home Assistant", "blueprints, automations and dashboards that use entities of elbro"]);
  if (homeAssistant)
    found.push(["Home Assistant", "statistics elbro:… (Developer tools, Statistics) and the access token of elbro"]);
  if (archive) found.push(["PostgreSQL", `the database and user of ${withoutSecrets(archive.url)}`]);
  if (notify) found.push(["phones", `their subscription of ${withoutSecrets(targetOf(notify))}`]);
  for (const plug of config.plugs) {
    const row: PlugFamilyRow | null = plug.family === "custom" ? null : plugFamilies[plug.family];
    if (row?.leaves !== undefined) found.push([`plug ${plug.name}`, row.leaves]);
  }
  found.push(["service", "the API key, in the app of the service"]);
  return found;
}

function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
