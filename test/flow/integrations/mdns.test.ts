import { describe, test } from "vitest";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import { whyNoMulticast, ZeroconfResolver } from "../../support/mdns/zeroconf-resolver.ts";

const why = await whyNoMulticast();
if (why !== null) process.stderr.write(`test/flow/integrations/mdns.test.ts is skipped: ${why}\n`);

/** Name that differs from those of other test runs on the same network. */
const NAME = `elbro-test-${process.pid}`;
const config = (mdns: string, host = "0.0.0.0") => ({
  ...{ mdns, api: { host, port: 0, keys: [{ name: "test", key: "key-of-a-test" }] } },
});

describe.skipIf(why !== null).concurrent(`mDNS${why === null ? "" : ` (${why})`}`, () => {
  test("another resolver finds the dashboard, and SIGTERM withdraws the announcement immediately", async ({
    expect,
  }) => {
    await using resolver = await ZeroconfResolver.start();
    await using installed = await TestDaemon.install({ config: config(NAME) });
    await using daemon = await installed.launch();
    await expect.poll(() => resolver.service(NAME)).toBeDefined();
    const found = resolver.service(NAME);
    expect(found).toMatchObject({ host: `${NAME}.local.`, port: await daemon.apiPort(), path: "/" });
    const page = await fetch(`http://${found?.addresses?.[0]}:${found?.port}/`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>elbro</title>")]);
    const { code, tookMs } = await daemon.end("SIGTERM");
    expect([code, tookMs < 2_000]).toEqual([0, true]);
    await expect.poll(() => resolver.service(NAME)).toBeUndefined();
  });

  test("the second daemon with the same name gets another one and logs it", async ({ expect }) => {
    const name = `${NAME}-twin`;
    await using first = await TestDaemon.install({ config: config(name) });
    await using one = await first.launch();
    await one.line(/mdns: announced/);
    await using second = await TestDaemon.install({ config: config(name) });
    await using two = await second.launch();
    const line = await two.line(/another device is called/);
    expect(JSON.parse(line)).toMatchObject({ host: `${name}-(2).local`, level: 40 });
  });

  test("announces nothing without the key `mdns`, and nothing on loopback, with the reason in the log", async ({
    expect,
  }) => {
    const name = `${NAME}-silent`;
    await using resolver = await ZeroconfResolver.start();
    const { mdns: _, ...silent } = config(name);
    await using without = await TestDaemon.install({ config: silent });
    await using one = await without.launch();
    await using loopback = await TestDaemon.install({ config: config(name, "127.0.0.1") });
    await using two = await loopback.launch();
    await two.line(/no network leads to api.host/);
    expect(one.output).not.toContain("mdns");
    expect(resolver.service(name)).toBeUndefined();
  });
});
