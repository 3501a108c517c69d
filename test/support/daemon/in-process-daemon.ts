import { type Daemon, type DaemonOptions, startDaemon } from "../../../src/daemon.ts";

export type InProcessOptions = Pick<DaemonOptions, "config" | "clock"> & Partial<DaemonOptions>;

/**
 * Starts a daemon in this process. No other test file calls `startDaemon`. By default the daemon logs nothing, trusts
 * its clock, draws 0.5 as every random number and accepts every client of its broker.
 */
export function startInProcess(options: InProcessOptions): Promise<Daemon> {
  const silent = () => undefined;
  return startDaemon({
    simulatedTime: true,
    log: { debug: silent, info: silent, warn: silent },
    random: () => 0.5,
    anonymousBroker: true,
    ...options,
  });
}
