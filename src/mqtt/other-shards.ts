/** Topics of other shards on the same broker. This shard neither clears them nor answers their commands. */

import { entryId } from "../config/entry-list.ts";
import type { Config } from "../config/schema/schema.ts";
import { deviceId } from "./homeassistant/device-id.ts";
import { plugPath } from "./topics/plug-topics.ts";

/** Returns which topics and homes belong to other shards, by the accounts of a configuration. */
export function otherShards({ accounts, homes = [], shard, mqtt }: Config) {
  const own = new Set(homes.flatMap(({ id }) => id ?? []));
  const base = `${mqtt.base_topic}/`;
  const elsewhere = accounts?.elsewhere ?? [];
  const homeIds = elsewhere.flatMap((each) => each.homes.map(({ id }) => id));
  const entryIds = elsewhere.flatMap(({ plugs }) => plugs.map(entryId));
  const planIds = elsewhere.flatMap(({ plans }) => plans.map(({ home, id }) => `${home}_plan_${id}`));
  /** First levels below the base topic: the id of a home, or `plug/` and the id of a plug. */
  const paths = new Set([...homeIds, ...entryIds.map(plugPath)]);
  const devices = [...homeIds, ...planIds, ...entryIds.map((id) => `plug_${id}`)];
  const documents = new Set(
    devices.map((id) => `${mqtt.discovery_prefix}/device/${deviceId(mqtt.base_topic, id)}/config`),
  );
  return {
    /** Returns whether another shard publishes a topic. */
    publish(topic: string): boolean {
      if (documents.has(topic)) return true;
      if (paths.size === 0 || !topic.startsWith(base)) return false;
      const [first = "", second = ""] = topic.slice(base.length).split("/");
      return paths.has(first) || paths.has(`${first}/${second}`);
    },
    /** Returns whether commands for a home are for this process. */
    isOwnHome(home = ""): boolean {
      return shard === undefined || own.has(home);
    },
  };
}
