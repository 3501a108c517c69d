/** The house as it is at hand for a command: the daemon that runs, or, while none does, the data directory itself. */
import { setTimeout as pause } from "node:timers/promises";
import { loadConfiguration } from "../config/load-config-file.ts";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { DataDirInUse, StartError } from "../core/status/start-error.ts";
import type { AdminRequest, AdminResponses } from "../server/admin/admin-api.ts";
import { adminSocketPath, sendAdminRequest } from "../server/admin/admin-socket.ts";
import { type ProxySettings, proxyOf } from "../service/client/proxy.ts";
import type { Given } from "./arguments.ts";
import { isDemo, startDemo } from "./demo.ts";
import { systemClock } from "./system-clock.ts";

export interface AdminConnection {
  readonly ask: <Asked extends AdminRequest>(question: Asked) => Promise<AdminResponses[Asked["ask"]]>;
  /** Whether a running daemon answers. */
  readonly isRunning: boolean;
  /** Whether it is an invented house. */
  readonly isDemo: boolean;
}

/** A daemon that starts holds its data directory a moment before it answers. */
const KNOCKS = { most: 15, everyMs: 200 };

/** Lets a command ask the house. Errors: throws a StartError where there is none. */
export async function withAdminConnection<Result>(
  given: Given,
  work: (admin: AdminConnection) => Promise<Result>,
): Promise<Result> {
  const { config, path } = loadConfiguration(given.configPath, process.env);
  if (isDemo(config) && path !== null)
    throw new StartError(`${path} has neither consumer.api_key nor third_party; set one of them`);
  const socket = adminSocketPath(config.data_dir);
  const clock = systemClock(given.simulated);
  for (let knocks = 1; ; knocks++) {
    const running = socket === null ? null : await knock(socket);
    if (running) return work({ ask: running, isRunning: true, isDemo: isDemo(config) });
    try {
      if (isDemo(config)) return await withDemo(config, clock, work);
      return await withOffline({ config, clock, proxy: proxyOf(process.env), isDemo: false }, work);
    } catch (error) {
      if (!(error instanceof DataDirInUse) || knocks === KNOCKS.most) throw error;
      await pause(KNOCKS.everyMs);
    }
  }
}

/** Asks the daemon for nothing, to learn whether it runs. */
async function knock(socket: string): Promise<AdminConnection["ask"] | null> {
  const there = await sendAdminRequest(socket, { ask: "here" });
  if (there === null) return null;
  return async (question) => {
    const answer = await sendAdminRequest(socket, question);
    if (answer === null) throw new StartError("the daemon has just ended; try again");
    return answer;
  };
}

async function withDemo<Result>(
  config: Config,
  clock: Clock,
  work: (admin: AdminConnection) => Promise<Result>,
): Promise<Result> {
  process.stderr.write("elbro: nothing is configured, so this is an invented house\n");
  const hasDataDir = process.env.ELBRO_DATA_DIR !== undefined;
  const demo = await startDemo({ config, clock, hasDataDir, host: undefined });
  try {
    return await withOffline({ config: demo.config, clock, proxy: null, isDemo: true }, work);
  } finally {
    await demo.close();
  }
}

interface Offline {
  readonly config: Config;
  readonly clock: Clock;
  readonly proxy: ProxySettings | null;
  readonly isDemo: boolean;
}

async function withOffline<Result>(
  { config, clock, proxy, isDemo: isInvented }: Offline,
  work: (admin: AdminConnection) => Promise<Result>,
): Promise<Result> {
  const { openOffline } = await import("./offline.ts");
  const offline = openOffline(config, clock, proxy);
  try {
    const ask = (question: AdminRequest) => offline.desk.answer(question);
    return await work({ ask: ask as AdminConnection["ask"], isRunning: false, isDemo: isInvented });
  } finally {
    await offline.close();
  }
}
