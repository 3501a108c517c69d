import { writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LAN_KEY } from "../../support/daemon/test-config.ts";
import { TestDaemon } from "../../support/daemon/test-daemon.ts";
import type { DaemonProcess } from "../../support/processes/daemon-process.ts";
import { type TypedValue, typedValues } from "../../support/sources/typed-values.ts";

const RUNS = 200;
const REFUSED = /problem: the new configuration has mistakes/;
/** Last line of the log about a reload that was used. */
const RELOADED = /configuration reloaded/;

/** Returns whether the daemon would connect to another machine with this value, or write fewer log lines. */
function reachesOut({ row, tree }: TypedValue): boolean {
  const { topic_url } = (tree.notify ?? {}) as { topic_url?: unknown };
  return row.path.startsWith("log") || tree.service !== undefined || URL.canParse(String(topic_url));
}

/** Sends SIGHUP and returns whether the configuration was used. */
async function reloaded(daemon: DaemonProcess): Promise<boolean> {
  const from = daemon.lines.length;
  daemon.signal("SIGHUP");
  const last = () => daemon.lines.slice(from).find((line) => REFUSED.test(line) || RELOADED.test(line));
  await expect.poll(() => last() ?? daemon.exitCode).toEqual(expect.any(String));
  return !REFUSED.test(last() ?? "");
}

test("no value of any key ends a running daemon, and a refused one changes nothing", async () => {
  await using installed = await TestDaemon.install();
  const usual = {
    plans: [{ name: "Car", home: "home", kind: "slots", hours: 2 }],
    api: { ...{ host: "127.0.0.1", port: 0, requests_per_minute: 10_000 }, keys: [{ name: "test", key: LAN_KEY }] },
  };
  installed.configure(usual);
  await using daemon = await installed.launch();
  const port = await daemon.apiPort();
  const plansNow = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/local/v1/plans`, {
      headers: { authorization: `Bearer ${LAN_KEY}` },
    }).catch((error: unknown) => {
      throw new Error(`the daemon does not answer: ${daemon.output.slice(-2_000)}`, { cause: error });
    });
    return [answer.status, ((await answer.json()) as { plans?: { id: string }[] }).plans?.map(({ id }) => id)];
  };
  const values = fc.sample(
    typedValues().filter((value) => !reachesOut(value)),
    RUNS,
  );
  const known = { row: { path: "notify.topic_url" }, tree: { notify: { topic_url: "ntfy.sh/my-topic" } } };
  const counts = { used: 0, refused: 0 };
  // An editor that first empties a file and then writes its text.
  writeFileSync(installed.configFile, "");
  expect(await reloaded(daemon)).toBe(false);
  expect(await plansNow()).toEqual([200, ["car"]]);
  for (const { row, tree } of [known, ...values]) {
    installed.configure({ ...usual, ...tree });
    const isUsed = await reloaded(daemon);
    counts[isUsed ? "used" : "refused"]++;
    if (isUsed) {
      installed.configure(usual);
      await reloaded(daemon);
    } else expect(await plansNow(), `${row.path}: ${JSON.stringify(tree)}`).toEqual([200, ["car"]]);
  }
  expect(daemon.output).not.toContain("internal error");
  expect(counts.refused).toBeGreaterThan(RUNS / 4);
  expect(counts.used).toBeGreaterThan(0);
  expect((await daemon.end("SIGTERM")).code).toBe(0);
});
