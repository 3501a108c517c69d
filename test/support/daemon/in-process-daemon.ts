import { type Daemon, type DaemonOptions, startDaemon } from "../../../src/daemon.ts";

export type InProcessOptions = Pick<DaemonOptions, "config" | "clock"> & Partial<DaemonOptions>;

/**
 * Starts a daemon inside this process; no other file of the tests calls `startDaemon`. By default it logs nothing, trusts
 * its clock, always draws the same random number and lets every client into its broker.
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
