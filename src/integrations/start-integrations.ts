/** Starts the integrations that the configuration names. What is not configured is not loaded. */

import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import type { ChangeBus } from "../state/change-bus.ts";
import type { State } from "../state/open-state.ts";
import type { Storage } from "../storage/open-storage.ts";

export interface IntegrationsOptions {
  readonly config: Pick<Config, "home_assistant" | "retention" | "service">;
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
  storage: Pick<Storage, "settings">,
  state: State,
  changes: ChangeBus,
): Integrations {
  let running: Promise<void> | null = null;
  return {
    run() {
      const { home_assistant } = options.config;
      if (home_assistant) running = runStatistics({ ...options, account: home_assistant }, storage, state, changes);
    },
    close: async () => void (await running),
  };
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

type HomeAssistantAccount = NonNullable<Config["home_assistant"]>;
