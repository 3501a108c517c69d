/** Topics of other shards on the same broker. This shard neither clears them nor answers their commands. */

import { entryId } from "../config/entry-list.ts";
import type { Config } from "../config/schema.ts";
import { deviceId } from "./homeassistant/device-id.ts";
import { plugPath } from "./topics/plug-topics.ts";

type Accounts = Pick<Config, "accounts" | "homes" | "shard" | "mqtt">;

export class OtherShards {
  #isShard = false;
  #own: ReadonlySet<string> = new Set();
  /** First levels below the base topic: the id of a home, or `plug/` and the id of a plug. */
  #paths: ReadonlySet<string> = new Set();
  /** Topics of discovery documents. */
  #documents: ReadonlySet<string> = new Set();
  #base = "";

  constructor(config: Accounts) {
    this.configure(config);
  }

  configure({ accounts, homes = [], shard, mqtt }: Accounts): void {
    this.#isShard = shard !== undefined;
    this.#own = new Set(homes.flatMap(({ id }) => id ?? []));
    this.#base = `${mqtt.base_topic}/`;
    const elsewhere = accounts?.elsewhere ?? [];
    const homeIds = elsewhere.flatMap((each) => each.homes.map(({ id }) => id));
    const entryIds = elsewhere.flatMap(({ plugs }) => plugs.map(entryId));
    const planIds = elsewhere.flatMap(({ plans }) => plans.map(({ home, id }) => `${home}_plan_${id}`));
    this.#paths = new Set([...homeIds, ...entryIds.map(plugPath)]);
    const devices = [...homeIds, ...planIds, ...entryIds.map((id) => `plug_${id}`)];
    this.#documents = new Set(
      devices.map((id) => `${mqtt.discovery_prefix}/device/${deviceId(mqtt.base_topic, id)}/config`),
    );
  }

  /** Returns whether another shard publishes a topic. */
  publish(topic: string): boolean {
    if (this.#documents.has(topic)) return true;
    if (this.#paths.size === 0 || !topic.startsWith(this.#base)) return false;
    const [first = "", second = ""] = topic.slice(this.#base.length).split("/");
    return this.#paths.has(first) || this.#paths.has(`${first}/${second}`);
  }

  /** Returns whether commands for a home are for this process. */
  isOwnHome(home = ""): boolean {
    return !this.#isShard || this.#own.has(home);
  }
}
