/** Independent mDNS resolver: python-zeroconf, which Home Assistant uses too. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { reportMissing } from "../runner/needs.ts";

/** Python of Debian, because the package `python3-zeroconf` installs the library for it. */
const PYTHON = "/usr/bin/python3";
const PROGRAM = path.join(import.meta.dirname, "resolver.py");

interface Sighting {
  readonly seen?: string;
  readonly gone?: string;
  readonly host?: string;
  readonly port?: number;
  readonly path?: string | null;
  readonly addresses?: readonly string[];
}

/** Returns why announcements cannot be tested on this machine; null if they can. */
export async function whyNoMulticast(): Promise<string | null> {
  if (spawnSync(PYTHON, ["-c", "import zeroconf"]).status !== 0) {
    reportMissing("python3-zeroconf", "programs", "apt-get install python3-zeroconf");
    return "python3-zeroconf is not installed";
  }
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  if (own === undefined) return "this machine has no network";
  return (await carriesMulticast(own)) ? null : "no multicast on this network";
}

/** Sends a multicast message on an interface and returns whether it comes back. */
async function carriesMulticast(address: string): Promise<boolean> {
  const GROUP = "224.0.0.251";
  const PORT = 5399;
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  socket.on("error", () => undefined);
  try {
    socket.bind(PORT);
    await once(socket, "listening");
    socket.addMembership(GROUP, address);
    socket.setMulticastInterface(address);
    const heard = once(socket, "message", { signal: AbortSignal.timeout(1_000) });
    socket.send("elbro", PORT, GROUP);
    await heard;
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

export class ZeroconfResolver implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #sightings: Sighting[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<ZeroconfResolver> {
    const child = spawn(PYTHON, [PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
    const resolver = new ZeroconfResolver(child);
    const lines = createInterface(child.stdout);
    const listening = once(lines, "line");
    lines.on("line", (line) => resolver.#sightings.push(JSON.parse(line)));
    await listening;
    return resolver;
  }

  /** Returns the last announcement of a service; undefined if it is not announced. */
  service(name: string): Sighting | undefined {
    const last = this.#sightings.findLast(({ seen, gone }) => seen === name || gone === name);
    return last?.gone === undefined ? last : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}
