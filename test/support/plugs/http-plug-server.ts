/** Emulated plugs with an HTTP interface. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EmulatedPlug } from "./emulated-plug.ts";
import { type Firmware, firmwares, type Order } from "./firmware-emulators.ts";

/** Parser of GET requests and writer of responses of a firmware. */
interface HttpFirmware {
  readonly understand: (url: URL) => Order | null;
  readonly answer: (url: URL, on: boolean) => object;
}

/** Source: Shelly Gen1 API, "/relay/{index}". */
const shellyGen1: HttpFirmware = {
  understand({ pathname, searchParams }) {
    const turn = searchParams.get("turn");
    if (pathname !== "/relay/0") return null;
    const timer = searchParams.get("timer");
    const timed = timer === null ? {} : { timerSec: Number(timer) };
    return turn === null ? { tells: false } : { set: turn === "on", tells: false, ...timed };
  },
  answer: (_url, on) => ({ ison: on, has_timer: false, source: "http" }),
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
  answer: ({ pathname }, on) =>
    pathname.endsWith("Set") ? { was_on: !on } : { id: 0, source: "HTTP_in", output: on, temperature: { tC: 31 } },
};

/** Source: Tasmota 15, docs "Commands", "With Web Requests": the commands are those of MQTT. */
const tasmota: HttpFirmware = {
  understand({ searchParams }) {
    const [command = "", ...rest] = (searchParams.get("cmnd") ?? "").split(" ");
    if (command === "Power1") return { tells: false };
    return firmwares.tasmota.understand(`cmnd/heater/${command}`, rest.join(" "));
  },
  answer: ({ searchParams }, on) =>
    searchParams.get("cmnd")?.startsWith("Power1") ? { POWER: on ? "ON" : "OFF" } : {},
};

const httpFirmwares = {
  tasmota,
  shelly_gen1: shellyGen1,
  shelly_gen2: shellyRpc,
  shelly_gen3: shellyRpc,
  shelly_gen4: shellyRpc,
} as const satisfies Partial<Record<keyof typeof firmwares, HttpFirmware>>;

export type HttpFamily = keyof typeof httpFirmwares;
export const HTTP_FAMILIES = Object.keys(httpFirmwares) as HttpFamily[];

/** Plug that is an HTTP server. The test sets its time. */
export class HttpPlugServer implements AsyncDisposable {
  now = 0;
  /** If true, the plug accepts requests but never responds. */
  hangs = false;
  readonly asked: string[] = [];
  readonly device: EmulatedPlug;
  readonly #firmware: HttpFirmware;
  readonly #server: Server;

  private constructor(family: HttpFamily) {
    this.#firmware = httpFirmwares[family];
    const { understand } = this.#firmware;
    const firmware: Firmware = { ...firmwares[family], understand: (path) => understand(new URL(path, "http://plug")) };
    this.device = new EmulatedPlug(firmware, { powerOn: "off", on: false });
    this.#server = createServer(({ url = "" }, response) => this.#answer(url, response));
  }

  static async start(family: HttpFamily): Promise<HttpPlugServer> {
    const made = new HttpPlugServer(family);
    await new Promise<void>((resolve) => made.#server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(path: string, response: ServerResponse): void {
    this.asked.push(decodeURIComponent(path));
    if (this.hangs) return;
    if (!this.device.powered) {
      response.destroy();
      return;
    }
    this.device.receive(path, "", this.now);
    const answer = this.#firmware.answer(new URL(path, "http://plug"), this.device.on);
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
