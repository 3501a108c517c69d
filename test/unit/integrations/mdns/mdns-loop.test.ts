import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { announceDashboard } from "../../../../src/integrations/mdns/mdns-loop.ts";
import { ManualClock } from "../../../support/clock/manual-clock.ts";
import { whyNoMulticast } from "../../../support/mdns/zeroconf-resolver.ts";

const LOOK_MS = 30_000;
const NETWORK = {
  eth0: [
    { ...({ address: "192.168.1.5", netmask: "255.255.255.0", family: "IPv4", mac: "02:00:00:00:00:01" } as const) },
  ].map((each) => ({ ...each, internal: false, cidr: "192.168.1.5/24" })),
};

/** Starts the loop with a clock and network interfaces that the test changes. */
function startLoop(options: { readonly name: string; readonly host?: string }) {
  const stop = new AbortController();
  const clock = new ManualClock(0);
  const log: [level: string, text: string][] = [];
  const machine = { interfaces: {} as ReturnType<typeof networkInterfaces> };
  const ended = announceDashboard(
    {
      ...{ host: "0.0.0.0", port: 8080, clock, ...options },
      log: { info: (_, text) => log.push(["info", text]), warn: (_, text) => log.push(["warn", text]) },
      interfaces: () => machine.interfaces,
    },
    stop.signal,
  );
  return {
    ...{ log, machine },
    look: () => clock.runUntil(clock.now() + LOOK_MS),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

test("mDNS waits for a network and logs this once", async () => {
  await using it = startLoop({ name: "elbro" });
  await it.look();
  await it.look();
  expect(it.log).toEqual([["warn", "mdns: not announced, because no network leads to api.host"]]);
});

test("a failed thread is logged once and started again; the process continues", async () => {
  // The library throws an uncaught error for names of more than 255 characters.
  await using it = startLoop({ name: "x".repeat(300), host: "::" });
  it.machine.interfaces = NETWORK;
  await it.look();
  await expect.poll(() => it.log.at(-1)?.[1]).toContain("the announcement failed");
  await it.look();
  await it.look();
  expect(it.log.map(([, text]) => text)).toEqual([
    expect.stringContaining("no network"),
    expect.stringContaining("the announcement failed"),
  ]);
});

test("an address of one interface is announced on that interface only", async () => {
  await using it = startLoop({ name: "elbro", host: "192.168.1.6" });
  it.machine.interfaces = NETWORK;
  await it.look();
  expect(it.log).toEqual([["warn", "mdns: not announced, because no network leads to api.host"]]);
});

const why = await whyNoMulticast();
test.skipIf(why !== null)(
  `mDNS announces on a network that appears later${why === null ? "" : ` (${why})`}`,
  async () => {
    const it = startLoop({ name: `elbro-later-${process.pid}` });
    await it.look();
    it.machine.interfaces = networkInterfaces();
    await it.look();
    await expect.poll(() => it.log.at(-1)).toEqual(["info", "mdns: announced"]);
    // Its end is no failure.
    await it[Symbol.asyncDispose]();
    expect(it.log.at(-1)).toEqual(["info", "mdns: announced"]);
  },
);
