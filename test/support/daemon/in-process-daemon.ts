import { type Daemon, type DaemonOptions, startDaemon } from "../../../src/daemon.ts";
import { learnSecrets, startHearing, stopHearing } from "./heard-secrets.ts";

export type InProcessOptions = Pick<DaemonOptions, "config" | "clock"> & Partial<DaemonOptions>;

/**
 * Starts a daemon in this process. No other test file calls `startDaemon`. By default the daemon logs nothing, trusts
 * its clock, draws 0.5 as every random number and accepts every client of its broker. `stop` rejects if a server of the
 * test has heard a secret of another one.
 */
export async function startInProcess(options: InProcessOptions): Promise<Daemon> {
  const silent = () => undefined;
  learnSecrets(options.config, options.source);
  const daemon = await startDaemon({
    simulatedTime: true,
    log: { debug: silent, info: silent, warn: silent },
    random: () => 0.5,
    anonymousBroker: true,
    ...options,
    onConfig(config) {
      learnSecrets(config, options.source);
      options.onConfig?.(config);
    },
  });
  startHearing(daemon.apiPort, daemon.brokerPort);
  return {
    ...daemon,
    async stop() {
      await daemon.stop();
      stopHearing();
    },
  };
}
