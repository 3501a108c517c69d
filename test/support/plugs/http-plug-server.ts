/** Emulated plugs with an HTTP interface, with a login and HTTPS as their firmware has it. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { EmulatedPlug } from "./emulated-plug.ts";
import { type Firmware, firmwares, type Order } from "./firmware-emulators.ts";

/** Parser of GET requests and writer of responses of a firmware. */
interface HttpFirmware {
  readonly understand: (url: URL) => Order | null;
  /** `kwh` is the counter of the device, and 1,000 W its power while ON. */
  readonly answer: (url: URL, on: boolean, kwh: number) => object;
  /** Whether a request has the right user name and password. */
  readonly admits: (request: IncomingMessage, login: EmulatedLogin) => boolean;
}

/** Login of an emulated device, and the nonces of its digest. */
export interface EmulatedLogin {
  readonly username: string;
  readonly password: string;
  /** Nonces that are valid, with the highest count of each. */
  readonly nonces: Map<string, number>;
}

/** Source: Shelly Gen1 API, "/relay/{index}", "/status". */
const shellyGen1: HttpFirmware = {
  understand({ pathname, searchParams }) {
    const turn = searchParams.get("turn");
    if (pathname === "/status") return { tells: false };
    if (pathname !== "/relay/0") return null;
    const timer = searchParams.get("timer");
    const timed = timer === null ? {} : { timerSec: Number(timer) };
    return turn === null ? { tells: false } : { set: turn === "on", tells: false, ...timed };
  },
  answer: ({ pathname }, on, kwh) => {
    const relay = { ison: on, has_timer: false, source: "http" };
    const meter = { power: on ? 1_000 : 0, is_valid: true, total: Math.round(kwh * 60_000) };
    return pathname === "/status" ? { relays: [relay], meters: [meter], uptime: 7 } : relay;
  },
  // Source: Shelly Gen1 API, "Authentication".
  admits: ({ headers: { authorization } }, { username, password }) =>
    authorization === `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
};

/** Source: Shelly Gen2+ API, "Switch.Set", "Switch.GetStatus". */
const shellyRpc: HttpFirmware = {
  understand({ pathname, searchParams }) {
    if (searchParams.get("id") !== "0") return null;
    if (pathname === "/rpc/Switch.GetStatus") return { tells: false };
    if (pathname !== "/rpc/Switch.Set") return null;
    const timer = searchParams.get("toggle_after");
    const timed = timer === null ? {} : { timerSec: Number(timer) };
    return { set: searchParams.get("on") === "true", tells: false, ...timed };
  },
  answer: ({ pathname }, on, kwh) =>
    pathname.endsWith("Set")
      ? { was_on: !on }
      : { id: 0, output: on, apower: on ? 1_000 : 0, aenergy: { total: kwh * 1_000, by_minute: [0, 0, 0] } },
  admits: hasDigest,
};

/** Source: Tasmota 15, docs "Commands", "With Web Requests": the commands are those of MQTT. */
const tasmota: HttpFirmware = {
  understand({ searchParams }) {
    const [command = "", ...rest] = (searchParams.get("cmnd") ?? "").split(" ");
    if (command === "Power1" || command === "Status") return { tells: false };
    return firmwares.tasmota.understand(`cmnd/heater/${command}`, rest.join(" "));
  },
  answer: ({ searchParams }, on, kwh) => {
    const [command = "", value] = (searchParams.get("cmnd") ?? "").split(" ");
    if (command === "Status" && value === "10")
      return { StatusSNS: { Time: "2026-03-10T12:00:00", ENERGY: { Total: kwh, Power: on ? 1_000 : 0 } } };
    return command === "Power1" ? { POWER: on ? "ON" : "OFF" } : {};
  },
  admits: ({ url = "" }, { username, password }) => {
    const { searchParams } = new URL(url, "http://plug");
    return searchParams.get("user") === username && searchParams.get("password") === password;
  },
};

/**
 * Whether a request has the right digest with SHA-256 and a nonce of this device. Sources: RFC 7616, 3.4; Shelly Gen2+
 * API, "Authentication". A test compares it with curl.
 */
function hasDigest({ method, url, headers }: IncomingMessage, { username, password, nonces }: EmulatedLogin): boolean {
  const { authorization = "" } = headers;
  const value = (name: string) =>
    new RegExp(`\\b${name}=(?:"([^"]*)"|([^,\\s]*))`).exec(authorization)?.slice(1).join("");
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const [nonce = "", nc = "", uri] = [value("nonce"), value("nc"), value("uri")];
  const last = nonces.get(nonce);
  if (!authorization.startsWith("Digest ") || uri !== url || last === undefined) return false;
  if (value("username") !== username || Number.parseInt(nc, 16) <= last) return false;
  const secret = hash(`${username}:${REALM}:${password}`);
  const request = hash(`${method}:${uri}`);
  if (value("response") !== hash(`${secret}:${nonce}:${nc}:${value("cnonce")}:${value("qop")}:${request}`))
    return false;
  nonces.set(nonce, Number.parseInt(nc, 16));
  return true;
}

const REALM = "shellypro4pm-f008d1d8b8b8";

const httpFirmwares = {
  tasmota,
  shelly_gen1: shellyGen1,
  shelly_gen2: shellyRpc,
  shelly_gen3: shellyRpc,
  shelly_gen4: shellyRpc,
} as const satisfies Partial<Record<keyof typeof firmwares, HttpFirmware>>;

export type HttpFamily = keyof typeof httpFirmwares;
export const HTTP_FAMILIES = Object.keys(httpFirmwares) as HttpFamily[];

export interface HttpPlugOptions {
  readonly login?: { readonly username: string; readonly password: string };
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Plug that is an HTTP server. The test sets its time. */
export class HttpPlugServer implements AsyncDisposable {
  now = 0;
  /** If true, the plug accepts requests but never responds. */
  hangs = false;
  /** Address that every request is redirected to. */
  redirectsTo: string | null = null;
  /** Error that it answers to each request. */
  failsWith: { readonly status: number; readonly body: string } | null = null;
  /** Counter of its energy. */
  kwh = 0;
  readonly asked: string[] = [];
  readonly device: EmulatedPlug;
  readonly #firmware: HttpFirmware;
  readonly #server: Server;
  readonly #isSecure: boolean;
  #login: EmulatedLogin | null;

  private constructor(family: HttpFamily, { login, tls }: HttpPlugOptions) {
    this.#firmware = httpFirmwares[family];
    const { understand } = this.#firmware;
    const firmware: Firmware = { ...firmwares[family], understand: (path) => understand(new URL(path, "http://plug")) };
    this.device = new EmulatedPlug(firmware, { powerOn: "off", on: false });
    this.#login = login ? { ...login, nonces: new Map() } : null;
    this.#isSecure = tls !== undefined;
    const serve = (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response);
    this.#server = tls ? createHttpsServer(tls, serve) : createServer(serve);
  }

  static async start(family: HttpFamily, options: HttpPlugOptions = {}, port = 0): Promise<HttpPlugServer> {
    const made = new HttpPlugServer(family, options);
    await new Promise<void>((resolve) => made.#server.listen(port, "127.0.0.1", resolve));
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#isSecure ? "https" : "http"}://127.0.0.1:${this.port}`;
  }

  /** Forgets all nonces, as a device does when they are too old or when it restarts. */
  forgetNonces(): void {
    this.#login?.nonces.clear();
  }

  /** Changes the password, as on the page of the device. */
  set password(password: string) {
    if (this.#login) this.#login = { ...this.#login, password };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { url: path = "" } = request;
    this.asked.push(decodeURIComponent(path));
    if (this.hangs) return;
    if (!this.device.powered) {
      response.destroy();
      return;
    }
    if (this.failsWith !== null) {
      response.writeHead(this.failsWith.status).end(this.failsWith.body);
      return;
    }
    if (this.redirectsTo !== null) {
      response.writeHead(302, { location: `${this.redirectsTo}${path}` }).end();
      return;
    }
    if (this.#login && !this.#firmware.admits(request, this.#login)) {
      const nonce = randomBytes(8).toString("hex");
      this.#login.nonces.set(nonce, 0);
      const challenge = `Digest qop="auth", realm="${REALM}", nonce="${nonce}", algorithm=SHA-256`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return;
    }
    this.device.receive(path, "", this.now);
    const answer = this.#firmware.answer(new URL(path, "http://plug"), this.device.on, this.kwh);
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
