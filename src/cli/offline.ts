/**
 * Answers a command's request while no daemon runs, with the same database, accounts and series store. It locks the
 * database until then: one process per data directory.
 */

import { statSync } from "node:fs";
import { createServer } from "node:net";
import { AdminApi, type CheckResult, checkResultOf } from "../api/admin/admin-api.ts";
import { checkArchive } from "../api/admin/check-archive.ts";
import { checkHomeAssistant } from "../api/admin/check-home-assistant.ts";
import { offlineDiagnostics } from "../api/monitoring/diagnostics.ts";
import type { Config } from "../config/schema.ts";
import { textIn } from "../core/language/text.ts";
import { thresholdsOf } from "../core/prices/level.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { Problems } from "../core/status/problem.ts";
import { StartError } from "../core/status/start-error.ts";
import { connectionTo, withoutLogin } from "../mqtt/broker/start-broker.ts";
import { tryBroker } from "../mqtt/client/check-connection.ts";
import { openService } from "../service/client/open-service.ts";
import type { ProxySettings } from "../service/client/proxy.ts";
import { serviceCalendar } from "../service/service-calendar.ts";
import { openAccounts } from "../state/accounts.ts";
import { Homes } from "../state/homes.ts";
import { HomeReader } from "../state/price-reader.ts";
import { SeriesRepository } from "../state/series-repository.ts";
import { copyDatabase } from "../storage/backup.ts";
import { sourceOf, takeSource } from "../storage/data-source.ts";
import { KeyValueStore } from "../storage/key-value-store.ts";
import { openDataDir, transitionsIn } from "../storage/open-storage.ts";

interface OfflineOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly proxy: ProxySettings | null;
  readonly isDemo: boolean;
}

/** Opens the data directory. Errors: throws a StartError if it cannot be used. */
export function openOffline({ config, clock, proxy, isDemo }: OfflineOptions) {
  requireOwner(config.data_dir);
  const { database, databasePath, recovery } = openDataDir(config.data_dir, clock.now());
  const settings = new KeyValueStore(database);
  takeSource(database, settings, sourceOf(config.service.base_url, isDemo));
  const calendar = serviceCalendar(transitionsIn(settings));
  const repository = new SeriesRepository(database, calendar, () => clock.now());
  const stop = new AbortController();
  const service = openService({ config, proxy });
  const accounts = openAccounts({
    ...{ config, service, repository, settings, clock, proxy, random: Math.random, signal: stop.signal },
    spendsUnknown: recovery !== null,
    problems: new Problems(() => undefined),
    onServerTime: () => undefined,
    onSpent: () => undefined,
  });
  const names = accounts.consumers.map(({ name }) => name);
  const homes = new Homes(names, config.homes, repository, settings);
  const thresholds = thresholdsOf(config.levels);
  const homeReader = new HomeReader({ store: repository.store, calendar, memory: settings, thresholds });
  const admin = new AdminApi({
    ...{
      config,
      clock,
      state: { calendar, accounts, homes, homeReader, repository, thresholds },
      storage: { database, databasePath },
    },
    onSeriesChanged: (series) => homeReader.changed(series),
    broker: () => brokerFinding(config),
    homeAssistant: () => checkHomeAssistant(config),
    archive: () => checkArchive(config),
    copyNow: () =>
      copyDatabase(database, databasePath, { node: process.execPath, signal: stop.signal }).then(
        (made) => (made.kind === "damaged" ? `the database is damaged: ${made.damage}` : null),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ),
    diagnostics: async () => ({
      running: false,
      ...(offlineDiagnostics({ config, homes, accounts }, clock.now()) as object),
    }),
  });
  return {
    admin,
    async close() {
      stop.abort();
      await service.close();
      repository.close();
      database.close();
    },
  };
}

/** Throws a StartError for root if another user owns the data: that user could not change files that root writes. */
export function requireOwner(dataDir: string): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  if (process.getuid?.() !== 0 || owner === undefined || owner === 0) return;
  throw new StartError(
    `run this as the user who owns ${dataDir}, for instance sudo -u '#${owner}' elbro …, because the daemon cannot write files that root creates`,
  );
}

async function brokerFinding(config: Config): Promise<CheckResult> {
  const { host, port } = config.broker;
  const { url } = config.mqtt;
  if (url !== undefined) {
    const trouble = await tryBroker(connectionTo(null, config));
    return checkResultOf("broker", trouble && textIn("en", trouble), `${withoutLogin(url)} accepts the login`);
  }
  const trouble = await whyNotFree(host, port);
  const failure = trouble && `the built-in broker cannot listen on port ${port}: ${trouble}`;
  return checkResultOf("broker", failure, `built in, port ${port} free`);
}

function whyNotFree(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "EADDRINUSE" ? "another program uses it" : (error.code ?? error.message));
    });
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
