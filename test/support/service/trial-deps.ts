import type { TrialDeps } from "../../../src/api/settings/try-connection.ts";
import { configSchema } from "../../../src/config/schema/schema.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { openService } from "../../../src/service/client/open-service.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { openAccounts } from "../../../src/state/accounts/accounts.ts";
import { SeriesRepository } from "../../../src/state/series-repository.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { ManualMachine } from "../clock/manual-machine.ts";

/** Returns what a test of a connection needs of a daemon that has no account. */
export function trialDeps(): TrialDeps {
  const clock = { ...new ManualMachine().clock, sleepUntil: () => Promise.resolve() };
  const database = openDatabase(":memory:");
  const repository = new SeriesRepository(database, serviceCalendar(), () => clock.now());
  const config = configSchema.parse({});
  const accounts = openAccounts({
    ...{ config, repository, settings: new KeyValueStore(database), service: openService({ config }) },
    ...{ random: () => 0, signal: new AbortController().signal, onServerTime: () => undefined },
    ...{ clock, calendar: serviceCalendar(), onSpent: () => undefined },
    problems: new Problems(() => undefined),
  });
  return { clock, state: { accounts, repository }, onSeriesChanged: () => undefined };
}
