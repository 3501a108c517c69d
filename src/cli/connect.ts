/** The house as it is at hand for a command: the daemon that runs, or, while none does, the data directory itself. */
import { setTimeout as pause } from "node:timers/promises";
import { loadConfiguration } from "../config/load-config-file.ts";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { DataDirInUse, StartError } from "../core/status/start-error.ts";
import type { AdminRequest, AdminResponses } from "../server/admin/admin-api.ts";
import { adminSocketPath, sendAdminRequest } from "../server/admin/admin-socket.ts";
import { proxyOf } from "../service/client/proxy.ts";
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
  const isInvented = isDemo(config);
  if (isInvented && path !== null)
    throw new StartError(`${path} has neither consumer.api_key nor third_party; set one of them`);
  const clock = systemClock(given.simulated);
  for (let knocks = 1; ; knocks++) {
    const socket = await runningDaemon(config.data_dir);
    if (socket !== null) return work({ ask: askAt(socket), isRunning: true, isDemo: isInvented });
    try {
      return await withoutDaemon(config, clock, (ask) => work({ ask, isRunning: false, isDemo: isInvented }));
    } catch (error) {
      if (!(error instanceof DataDirInUse) || knocks === KNOCKS.most) throw error;
      await pause(KNOCKS.everyMs);
    }
  }
}

/** The socket of the daemon that answers for a data directory; null where none runs. */
export async function runningDaemon(dataDir: string): Promise<string | null> {
  const socket = adminSocketPath(dataDir);
  return socket === null || (await sendAdminRequest(socket, { ask: "here" })) === null ? null : socket;
}

function askAt(socket: string): AdminConnection["ask"] {
  return async (question) => {
    const answer = await sendAdminRequest(socket, question);
    if (answer === null) throw new StartError("the daemon stopped during the command; try again");
    return answer;
  };
}

/** Opens the data directory itself, or the demo's, for the time of some work. */
async function withoutDaemon<Result>(
  config: Config,
  clock: Clock,
  work: (ask: AdminConnection["ask"]) => Promise<Result>,
): Promise<Result> {
  const hasDataDir = process.env.ELBRO_DATA_DIR !== undefined;
  const demo = isDemo(config) ? await startDemo({ config, clock, hasDataDir, host: undefined }) : null;
  if (demo) process.stderr.write("elbro: no account is configured, so this is a demo\n");
  try {
    const { openOffline } = await import("./offline.ts");
    const offline = openOffline(demo?.config ?? config, clock, demo ? null : proxyOf(process.env));
    const ask = (question: AdminRequest) => offline.desk.answer(question);
    return await work(ask as AdminConnection["ask"]).finally(() => offline.close());
  } finally {
    await demo?.close();
  }
}
