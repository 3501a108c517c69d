/** Starts the integrations that the configuration names. What is not configured is not loaded. */

import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import type { State } from "../state/open-state.ts";
import { ArchiveBacklog, forgetBacklog } from "../storage/archive-backlog.ts";
import type { Storage } from "../storage/open-storage.ts";

export interface IntegrationsOptions {
  readonly config: Pick<Config, "archive" | "home_assistant" | "retention" | "service">;
  readonly clock: Clock;
  readonly log: { info(facts: object, text: string): void };
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Fires when the daemon ends. */
  readonly signal: AbortSignal;
}

export interface Integrations {
  readonly run: () => void;
  readonly close: () => Promise<void>;
}

/** Nothing is loaded or connected before `run`. */
export function startIntegrations(
  options: IntegrationsOptions,
  storage: ArchivedStorage,
  state: State,
  changes: ChangeBus,
): Integrations {
  const running: Promise<void>[] = [];
  return {
    run() {
      const { home_assistant, archive } = options.config;
      if (home_assistant) running.push(runStatistics({ ...options, account: home_assistant }, storage, state, changes));
      if (archive) running.push(runArchive({ ...options, account: archive }, storage, state, changes));
      else forgetBacklog(storage.database, storage.writing);
    },
    close: async () => void (await Promise.all(running)),
  };
}

async function runArchive(
  { account, clock, log, random, signal }: IntegrationsOptions & { readonly account: NonNullable<Config["archive"]> },
  { database, settings, writing }: ArchivedStorage,
  { problems, stats }: State,
  changes: ChangeBus,
): Promise<void> {
  const { ArchiveLoop } = await import("./archive/archive-loop.ts");
  const figures = { rows: 0, count: () => loop.count() };
  const loop = new ArchiveLoop({
    ...{ account, problems, clock, log, random },
    openBacklog: () => ArchiveBacklog.open(database, settings, writing),
    pulse: stats.pulse("archiving"),
    onWritten(rows) {
      figures.rows += rows;
    },
  });
  stats.archive = figures;
  changes.seriesChanged.subscribe(() => loop.changed());
  await loop.run(signal);
}

async function runStatistics(
  { config, account, clock, log, random, signal }: IntegrationsOptions & { readonly account: HomeAssistantAccount },
  { settings }: Pick<Storage, "settings">,
  state: State,
  changes: ChangeBus,
): Promise<void> {
  const { StatisticsLoop } = await import("./homeassistant/statistics-loop.ts");
  const { homes, calendar, problems, repository, stats } = state;
  const loop = new StatisticsLoop({
    ...{ account, homes, calendar, problems, clock, log, random },
    store: repository.store,
    memory: settings,
    costField: config.service.cost_field,
    retentionYears: config.retention.years,
    pulse: stats.pulse("importing statistics"),
  });
  changes.seriesChanged.subscribe((series) => loop.changed(series));
  await loop.run(signal);
}

type ArchivedStorage = Pick<Storage, "settings" | "database" | "writing">;
type HomeAssistantAccount = NonNullable<Config["home_assistant"]>;
