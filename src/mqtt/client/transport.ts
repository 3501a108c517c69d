/** Opens byte streams to a broker over TCP, TLS, WebSocket or secure WebSocket, with a time limit. */
import { type EventEmitter, once } from "node:events";
import net from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";

/** Address of a broker and certificates. Certificates and keys are PEM texts. */
export interface BrokerAddress {
  /** `mqtt:`, `mqtts:`, `ws:` or `wss:`. */
  readonly url: string;
  /** Authority of the broker's certificate; replaces the public authorities. */
  readonly ca?: string | undefined;
  /** Client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Longest WebSocket message in bytes. It may hold several packets; a broker sends at most 64 KiB at a time. */
const MAX_FRAME_BYTES = 1024 * 1024;
const OPEN_TIMEOUT_MS = 10_000;
/** Delay of TCP keep-alive, which detects a vanished broker even if nothing is sent. */
const TCP_KEEPALIVE_MS = 60_000;

/**
 * Opens a stream to the broker. Resolves once it is open, and destroys it if the signal fires before.
 * Rejects with the error of the network, of TLS or of WebSocket.
 */
export async function openBrokerStream(address: BrokerAddress, signal: AbortSignal): Promise<Duplex> {
  const { protocol } = new URL(address.url);
  if (protocol === "ws:" || protocol === "wss:") return openWebSocket(address, signal);
  const secure = protocol === "mqtts:";
  const socket = secure ? await openTls(address) : net.connect(endpoint(address.url, 1883));
  socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
  return opened(socket, secure ? "secureConnect" : "connect", signal, socket);
}

/** Imports TLS only when needed: it takes 5 ms of a start. */
async function openTls(address: BrokerAddress): Promise<TLSSocket> {
  const tls = await import("node:tls");
  const to = endpoint(address.url, 8883);
  const { ca, cert, key } = address;
  return tls.connect({ ...to, ca, cert, key, ...(net.isIP(to.host) ? {} : { servername: to.host }) });
}

/** Imports `ws` only when needed: most installations do not use WebSocket. */
async function openWebSocket({ url: text, ca, cert, key }: BrokerAddress, signal: AbortSignal): Promise<Duplex> {
  const { createWebSocketStream, WebSocket } = await import("ws");
  const url = new URL(text);
  url.username = "";
  url.password = "";
  const socket = new WebSocket(url, ["mqtt"], { ca, cert, key, perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES });
  return opened(socket, "open", signal, createWebSocketStream(socket));
}

function endpoint(text: string, usualPort: number): { host: string; port: number; noDelay: true } {
  const url = new URL(text);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || usualPort), noDelay: true };
}

/** Waits for the event that reports an open stream. Any other outcome destroys the stream. */
async function opened(opening: EventEmitter, event: string, signal: AbortSignal, stream: Duplex): Promise<Duplex> {
  const wait = new AbortController();
  const stop = () => wait.abort();
  // Not AbortSignal.timeout and AbortSignal.any: both stay in memory after the attempt, about 1 kB each time.
  const timer = setTimeout(stop, OPEN_TIMEOUT_MS);
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  stream.on("error", () => undefined);
  try {
    await once(opening, event, { signal: wait.signal });
    return stream;
  } catch (error) {
    stream.destroy();
    const isLate = wait.signal.aborted && !signal.aborted;
    throw isLate ? Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" }) : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
