/**
 * Oracle of every test with a daemon in this process: a secret of its configuration is heard by no server of the test
 * but its own. It hears the requests to all HTTP servers of this process, and what is sent to its other TCP servers, such
 * as the password of an MQTT login. What WebSockets receive is masked, so their servers call `hear`.
 */
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ConfigurationSource } from "../../../src/config/editing/overlay-writer.ts";
import { secretPlacesIn } from "../../../src/config/overlay/secret-servers.ts";
import { type Config, configSchema } from "../../../src/config/schema/schema.ts";
import { valueAt } from "../../../src/config/tree.ts";

interface KnownSecret {
  /** Ports of the servers that may hear it. */
  readonly ports: Set<number>;
  /** Number of sounds before it was known. */
  readonly since: number;
}

/** Shorter secrets are words of other texts. */
const MIN_LENGTH = 6;
/** Heard characters of one message. */
const MAX_HEARD = 4_096;
const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "mqtt:": 1883, "mqtts:": 8883 };

let sounds: { readonly port: number | undefined; readonly text: string }[] = [];
let secrets = new Map<string, KnownSecret>();
let dataDir: string | null = null;
/** Number of running daemons. */
let running = 0;
/** Ports of the daemons themselves: the test sends them secrets. */
const own = new Set<number>();

/** Records what a server of the test received. */
export function hear(port: number | undefined, text: string): void {
  if (dataDir !== null) sounds.push({ port, text: text.slice(0, MAX_HEARD) });
}

subscribe("http.server.request.start", (message) => {
  const { request } = message as { readonly request: IncomingMessage };
  const { localPort: port } = request.socket;
  hear(port, `${request.url} ${JSON.stringify(request.headers)}`);
  hearParts(request, port);
});
subscribe("net.server.socket", (message) => {
  const { socket } = message as { readonly socket: Socket };
  hearParts(socket, socket.localPort);
});

/** Records the first part that a stream receives, without reading it. */
function hearParts(stream: IncomingMessage | Socket, port: number | undefined): void {
  const push = stream.push.bind(stream);
  stream.push = (part: unknown, encoding?: BufferEncoding) => {
    if (Buffer.isBuffer(part)) hear(port, part.toString("latin1"));
    return push(part, encoding);
  };
}

/** Learns the secrets of a daemon's configuration. One that the page saved belongs to the server that it had first. */
export function learnSecrets(config: Config, source: ConfigurationSource | undefined): void {
  if (config.data_dir !== dataDir && running === 0) {
    [sounds, secrets, dataDir] = [[], new Map(), config.data_dir];
    own.clear();
  }
  const owners = source ? source.readWith({ overlay: null }) : null;
  if (owners?.kind === "config") learn(owners.config, true);
  learn(config, source === undefined);
}

function learn(config: Config, isOwners: boolean): void {
  for (const { path, server } of secretPlacesIn(configSchema, config)) {
    const secret = String(valueAt(config, path));
    const url = valueAt(config, server);
    const known = secrets.get(secret);
    if (secret.length < MIN_LENGTH || (known && !isOwners)) continue;
    const { ports } = known ?? { ports: new Set<number>() };
    if (typeof url === "string") ports.add(portOf(url));
    secrets.set(secret, known ?? { ports, since: sounds.length });
  }
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === "" ? (PORTS[protocol] ?? 0) : Number(port);
}

/** Counts a daemon that has started, with its ports, to which the test sends secrets. */
export function startHearing(...ports: (number | null)[]): void {
  running++;
  for (const port of ports) if (port !== null) own.add(port);
}

/** Counts a daemon that was stopped. Throws for a secret that another server than its own has heard. */
export function stopHearing(): void {
  running--;
  const leaks = [...secrets].flatMap(([secret, { ports, since }]) =>
    sounds
      .slice(since)
      .filter(({ port, text }) => port !== undefined && !ports.has(port) && !own.has(port) && holds(text, secret))
      .map(({ port }) => `${secret} was heard at port ${port}, not at ${[...ports].join(" or ") || "no server"}`),
  );
  sounds = [];
  for (const [secret, { ports }] of secrets) secrets.set(secret, { ports, since: 0 });
  if (leaks.length > 0) throw new Error(`a secret left for another server:\n${[...new Set(leaks)].join("\n")}`);
}

/** Whether a text contains a secret: as it is, in a URL, or in Base64 as in a login or a token. */
function holds(text: string, secret: string): boolean {
  if (text.includes(secret) || text.includes(encodeURIComponent(secret))) return true;
  const encoded = text.match(/\b(?:Basic|Bearer) [A-Za-z0-9+/=_-]+/g) ?? [];
  return encoded.some((each) =>
    Buffer.from(each.split(" ")[1] ?? "", "base64")
      .toString("latin1")
      .includes(secret),
  );
}
