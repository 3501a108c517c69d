import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { EventListener } from "../../support/http/event-listener.ts";
import { DaemonProcess } from "../../support/processes/daemon-process.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { startAt } from "../../support/service/standing-simulator.ts";

const BAD_CONFIGURATION = 78;
/** Interval of requests until a running daemon applies a change. It limits requests with a wrong key. */
const ASK = { interval: 300 };

async function commandIn(dir: TempDir, ...words: string[]): Promise<{ code: number | null; output: string }> {
  await using command = new DaemonProcess(["keys", ...words], { ELBRO_DATA_DIR: dir.path });
  return { code: await command.exit, output: command.output };
}

function shownIn(output: string, what: string): string {
  return new RegExp(`^ {2}${what} +(\\S+)$`, "m").exec(output)?.[1] ?? "";
}

test("keys are created, revoked and created again while the daemon runs, which applies them", async () => {
  using dir = new TempDir();
  const created = await commandIn(dir, "create", "kitchen");
  expect(created.code).toBe(0);
  const key = shownIn(created.output, "key");
  expect(key).toMatch(/^elbro_[\w-]{43}$/);
  await using daemon = new DaemonProcess([], {
    ...{ ELBRO_DATA_DIR: dir.path, ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0" },
  });
  const port = /:(\d+)\/consumer/.exec(await daemon.line(/curl/))?.[1];
  const statusOf = async (token: string, at = "/consumer/v1/me/addresses") =>
    (await fetch(`http://127.0.0.1:${port}${at}`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await statusOf(key)).toBe(200);

  await commandIn(dir, "revoke", "kitchen");
  const replaced = shownIn((await commandIn(dir, "create", "kitchen")).output, "key");
  const pair = (await commandIn(dir, "create", "inverter", "--third-party")).output;
  await expect.poll(() => statusOf(key), ASK).toBe(401);
  expect(await statusOf(replaced)).toBe(200);
  const token = shownIn(pair, "token");
  expect(Buffer.from(token, "base64").toString()).toMatch(new RegExp(`^${shownIn(pair, "key")}:[0-9a-f]{64}$`));
  // The status may be 429, because the quota of this interface is small. The key is checked before the quota.
  expect([200, 429]).toContain(await statusOf(token, "/thirdParty/prices/DK1"));
  expect(await statusOf(token)).toBe(401);

  await using ear = await EventListener.open(Number(port), { key: replaced });
  await ear.ready();
  expect((await commandIn(dir, "revoke", "kitchen")).output).toBe("The key kitchen is revoked.");
  await expect.poll(() => ear.end).toBe("clean");
  expect(await statusOf(replaced)).toBe(401);
  const { output } = await commandIn(dir, "list");
  expect(output.split("\n")).toEqual([
    expect.stringMatching(/^name +opens +may /),
    expect.stringMatching(/^demo +all +read, control .* in the configuration +-$/),
    expect.stringMatching(/^inverter +\/thirdParty +read +60 +2000 +\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d$/),
  ]);
});

test("an impossible key command is reported in a sentence", async () => {
  using dir = new TempDir();
  expect((await commandIn(dir, "list")).output).toMatch(/^There are no keys. Create one with: .*keys create NAME/);
  await commandIn(dir, "create", "kitchen");
  for (const [words, said] of [
    [["create", "Kitchen"], "a key named Kitchen exists already; revoke it, or use another name"],
    [["revoke", "nobody"], "no key named nobody; expected one of kitchen"],
    [["create"], "the name of the key is missing; usage: elbro keys create|list|revoke [NAME]"],
    [["create", "a/b"], '"a/b" is not a valid key name; expected at most 40 letters, digits, spaces, _ . and -'],
    [["frob"], "usage: elbro keys create|list|revoke [NAME]; see elbro keys --help"],
  ] as const)
    expect(await commandIn(dir, ...words)).toEqual({ code: BAD_CONFIGURATION, output: `elbro: ${said}` });
});

test("an API on the LAN does not start without a key, and prints the command that creates one", async () => {
  using dir = new TempDir();
  await using standing = await startAt(Date.now());
  const config = path.join(dir.path, "elbro.yaml");
  writeFileSync(
    config,
    `service: { base_url: "${standing.service.url}" }
consumer: { api_key: "${standing.service.consumerKey}" }
api: { port: 0 }
broker: { port: 0 }
data_dir: ${dir.path}
`,
  );
  await using refused = new DaemonProcess(["--config", config], {});
  expect(await refused.exit).toBe(BAD_CONFIGURATION);
  expect(refused.output).toMatch(/^elbro: the API on 0\.0\.0\.0 has no key, so nobody could use it\./m);
  await using checked = new DaemonProcess(["check", "--config", config], { npm_lifecycle_event: "start" });
  expect([await checked.exit, checked.output]).toEqual([
    BAD_CONFIGURATION,
    expect.stringContaining(`keys create NAME --config ${config}`),
  ]);
  await using online = new DaemonProcess(["check", "--online", "--config", config], {});
  expect(await online.exit).toBe(BAD_CONFIGURATION);
  expect(online.output).toMatch(
    /^ {2}ok {3}service \(consumer\): .*^ {2}FAIL keys: the API on 0\.0\.0\.0 has no key/ms,
  );
  const command = /keys create NAME/.exec(refused.output)?.[0].replace("NAME", "kitchen").split(" ").slice(1) ?? [];
  expect((await commandIn(dir, ...command)).code).toBe(0);
  await using running = new DaemonProcess(["--config", config], {});
  await running.line(/"msg"/);
});
