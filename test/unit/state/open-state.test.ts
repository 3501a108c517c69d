import { expect, test } from "vitest";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { openService } from "../../../src/service/client/open-service.ts";
import { ChangeBus } from "../../../src/state/change-bus.ts";
import { openState } from "../../../src/state/open-state.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { ManualMachine } from "../../support/clock/manual-machine.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const NOON = Date.UTC(2026, 5, 15, 10);
const LOG = { info: () => undefined, warn: () => undefined, debug: () => undefined };

test("a problem that starts before the first publication is announced and stored", async () => {
  using dir = new TempDir();
  const machine = new ManualMachine(NOON);
  const config = configSchema.parse({ data_dir: dir.path });
  const clock = Object.assign(machine.clock, { sleepUntil: () => Promise.resolve() });
  const stopping = new AbortController();
  const options = { config, clock, log: LOG, random: () => 0, simulatedTime: true, signal: stopping.signal };
  const changes = new ChangeBus();
  const announced: string[] = [];
  changes.problem.subscribe(({ problem, state }) => announced.push(`${state} ${problem.code}`));
  const storage = openStorage(options);
  const recovery = { damage: "malformed page", setAside: null, copiedAt: null };
  const state = openState(options, { ...storage, recovery }, openService(options), changes);
  expect(announced).toEqual(["started database_restored"]);
  expect((await state.daemonState(NOON)).problems).toMatchObject([{ code: "database_restored", since: NOON }]);
  storage.close();
});
