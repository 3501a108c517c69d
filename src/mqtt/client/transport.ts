/** Byte streams to a broker: TCP, TLS, WebSocket and secure WebSocket, opened within a bound of time. */
import { type EventEmitter, once } from "node:events";
import net from "node:net";
import type { Duplex } from "node:stream";
import tls, { type TLSSocket } from "node:tls";

/** Where the broker is and how it is known. Certificates and keys are PEM texts. */
export interface BrokerAddress {
  /** `mqtt:`, `mqtts:`, `ws:` or `wss:`. */
  readonly url: string;
  /** Authority of the broker's certificate, instead of the public ones. */
  readonly ca?: string | undefined;
  /** Certificate and key by which the broker knows this client. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A WebSocket message may hold several packets; a broker sends what it reads from its own sockets, 64 KiB at most. */
const MAX_FRAME_BYTES = 1024 * 1024;
const OPEN_TIMEOUT_MS = 10_000;
/** A broker that vanished without a word is noticed by the machine, also where nothing is sent. */
const TCP_KEEPALIVE_MS = 60_000;

/**
 * Opens the stream that a URL names. It is open when this resolves; it is destroyed when the signal fires before.
 * Errors: rejects with the error of the network, of TLS or of WebSocket.
 */
export async function openBrokerStream(address: BrokerAddress, signal: AbortSignal): Promise<Duplex> {
  const { protocol } = new URL(address.url);
  if (protocol === "ws:" || protocol === "wss:") return openWebSocket(address, signal);
  const secure = protocol === "mqtts:";
  const socket = secure ? openTls(address) : net.connect(endpoint(address.url, 1883));
  socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
  return opened(socket, secure ? "secureConnect" : "connect", signal, socket);
}

function openTls(address: BrokerAddress): TLSSocket {
  const to = endpoint(address.url, 8883);
  const { ca, cert, key } = address;
  return tls.connect({ ...to, ca, cert, key, ...(net.isIP(to.host) ? {} : { servername: to.host }) });
}

/** WebSocket is loaded only here: most houses do without it. */
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

/** Waits for the event by which something opens; whatever else ends the wait destroys the stream. */
async function opened(opening: EventEmitter, event: string, signal: AbortSignal, stream: Duplex): Promise<Duplex> {
  const wait = new AbortController();
  const stop = () => wait.abort();
  // Not AbortSignal.timeout and AbortSignal.any: both live on after the attempt, a kilobyte each time.
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
