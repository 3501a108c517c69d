/** Byte streams to a broker: TCP, TLS, WebSocket and secure WebSocket, opened within a bound of time. */
import net from "node:net";
import type { Duplex } from "node:stream";
import tls, { type SecureContextOptions, type TLSSocket } from "node:tls";

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
  return opened(socket, secure ? "secureConnect" : "connect", signal);
}

function openTls(address: BrokerAddress): TLSSocket {
  const to = endpoint(address.url, 8883);
  return tls.connect({ ...to, ...credentials(address), ...(net.isIP(to.host) ? {} : { servername: to.host }) });
}

/** WebSocket is loaded only here: most houses do without it. */
async function openWebSocket(address: BrokerAddress, signal: AbortSignal): Promise<Duplex> {
  const { createWebSocketStream, WebSocket } = await import("ws");
  const url = new URL(address.url);
  url.username = "";
  url.password = "";
  const socket = new WebSocket(url, ["mqtt"], { ...credentials(address), perMessageDeflate: false });
  const stream = createWebSocketStream(socket);
  await opened(socket, "open", signal, stream);
  return stream;
}

function endpoint(text: string, usualPort: number): { host: string; port: number; noDelay: true } {
  const url = new URL(text);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || usualPort), noDelay: true };
}

function credentials({ ca, cert, key }: BrokerAddress): SecureContextOptions {
  return { ca, cert, key };
}

interface Opening {
  once(event: string, listener: () => void): unknown;
}

/** Waits for the event by which something opens; whatever else ends the wait destroys the stream. */
function opened<Stream extends Duplex>(
  opening: Opening,
  event: string,
  signal: AbortSignal,
  stream: Duplex = opening as Stream,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      settle();
      stream.on("error", () => undefined);
      stream.destroy();
      reject(error);
    };
    const late = Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" });
    const timer = setTimeout(() => fail(late), OPEN_TIMEOUT_MS);
    const stop = () => fail(new Error("stopped"));
    const closed = () => fail(new Error("the connection was closed while it was opened"));
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      stream.removeListener("error", fail);
      stream.removeListener("close", closed);
    };
    signal.addEventListener("abort", stop);
    stream.once("error", fail);
    stream.once("close", closed);
    opening.once(event, () => {
      settle();
      resolve(stream);
    });
    if (signal.aborted) stop();
  });
}
