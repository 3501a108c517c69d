/** The whole URL of a machine of which only the address was typed, such as `192.168.1.40`. */

import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { BlockList, connect, isIPv6 } from "node:net";
import { type EditRefusal, mistaken } from "../../config/editing/edit-refusal.ts";
import type { Tree } from "../../config/tree.ts";
import { message } from "../../core/language/text.ts";
import { SECOND_MS } from "../../core/time/interval.ts";

/** Scheme and port. */
type Place = `${string}:${number}`;

/** Usual places of a machine by the key of its address, the likeliest first. Only these ports are ever asked. */
const PLACES: ReadonlyMap<string, readonly [Place, ...Place[]]> = new Map([
  ["mqtt.url", ["mqtt:1883", "mqtts:8883"]],
  ["home_assistant.url", ["http:8123", "https:443"]],
  ["plugs[].url", ["http:80", "https:443"]],
  ["notify.topic_url", ["https:443"]],
  ["notify.webhook_url", ["https:443"]],
] as const);
const ANSWER_MS = 2 * SECOND_MS;

/** Addresses within a house. No other one is asked. */
const house = new BlockList();
const NETS = "10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7 fe80::/10";
for (const net of NETS.split(" ")) {
  const [start = "", bits] = net.split("/");
  house.addSubnet(start, Number(bits), familyOf(start));
}

/**
 * Returns values by their keys with whole URLs; keys of `list` are those of its entry. If `mayAsk`, the place in the
 * house whose port accepts a connection is taken, otherwise the likeliest. Nothing is sent. Errors: a mistake at a key
 * whose machine does not answer.
 */
export async function withWholeAddresses(
  values: Tree,
  list: "" | "plugs[].",
  mayAsk: boolean,
): Promise<{ readonly values: Tree; readonly completed: Tree } | EditRefusal> {
  const completed: Tree = {};
  for (const [key, value] of Object.entries(values)) {
    const places = PLACES.get(list + key);
    const [text, host, port, path] = /^([\w.-]+)(?::(\d+))?(\/\S*)?$/.exec(String(value).trim()) ?? [];
    if (!places || typeof value !== "string" || text === undefined || host === undefined) continue;
    const isBare = port === undefined && path === undefined;
    const likely = places.find((place) => !isBare && place.endsWith(`:${port}`)) ?? places[0];
    const found = mayAsk && isBare && places.length > 1 ? await answering(host, places) : likely;
    if (found === null) {
      const facts = { host, ports: places.map(portOf).join(", "), example: urlOf(host, likely) };
      return mistaken("invalid_parameter", [{ path: key, ...message("mistake.no_machine", facts) }]);
    }
    completed[key] = isBare ? urlOf(host, found) : `${found.split(":")[0]}://${text}`;
  }
  return { values: { ...values, ...completed }, completed };
}

function portOf(place: Place): number {
  return Number(place.split(":")[1]);
}

/** Returns the URL of a place, without the port that its scheme implies. */
function urlOf(host: string, place: Place): string {
  return place.replace(/:/, `://${host}:`).replace(/(?<=^http:.*):80$|(?<=^https:.*):443$/, "");
}

function familyOf(address: string) {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

/** Returns the first place that accepts a connection, and the first one of a machine outside the house; null for none. */
export async function answering(host: string, places: readonly [Place, ...Place[]]): Promise<Place | null> {
  const { address } = (await lookup(host).catch(() => null)) ?? {};
  if (address === undefined) return null;
  if (!house.check(address, familyOf(address))) return places[0];
  const answers = await Promise.all(places.map((place) => accepts(address, portOf(place))));
  return places.find((_, i) => answers[i]) ?? null;
}

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const isOpen = await once(socket, "connect", { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
  socket.destroy();
  return isOpen !== null;
}
