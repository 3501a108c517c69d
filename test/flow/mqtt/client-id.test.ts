import { cpSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import { ManualClock } from "../../support/clock/manual-clock.ts";
import { startInProcess } from "../../support/daemon/in-process-daemon.ts";
import { configFor } from "../../support/daemon/test-config.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const MORNING = Date.parse("2026-03-10T09:00:00Z");

/** Returns the client id of a daemon for its data directory on a machine. */
async function clientIdOf(dataDir: string, machine: string, random: number): Promise<string> {
  const clock = new ManualClock(MORNING);
  const simulator = await startSimulator({ now: () => clock.now() });
  const config = configFor(simulator, dataDir);
  const daemon = await startInProcess({ config, clock, machine, random: () => random });
  await daemon.stop();
  await simulator.close();
  using database = new DatabaseSync(`${dataDir}/elbro.db`);
  return String(database.prepare("select value from setting where name = 'client_id'").get()?.value);
}

test("a data directory keeps its MQTT client id; a copy, on the same or another machine, gets another", async () => {
  using dir = new TempDir();
  const [home, copy] = [dir.file("home"), dir.file("copy")];
  const first = await clientIdOf(home, "pi", 0.1);
  expect(await clientIdOf(home, "pi", 0.2)).toBe(first);
  cpSync(home, copy, { recursive: true });
  const other = await clientIdOf(copy, "pi", 0.3);
  expect(other).not.toBe(first);
  expect(await clientIdOf(copy, "pi", 0.4)).toBe(other);
  const elsewhere = await clientIdOf(home, "another pi", 0.5);
  expect(elsewhere).not.toBe(first);
  expect(await clientIdOf(home, "another pi", 0.6)).toBe(elsewhere);
});
