/** Connects a command to the running daemon, or opens the data directory if none runs. */
import { setTimeout as pause } from "node:timers/promises";
import type { AdminRequest, AdminResponses } from "../api/admin/admin-api.ts";
import { adminSocketPath, NO_SOCKET, sendAdminRequest } from "../api/admin/admin-socket.ts";
import { loadConfiguration } from "../config/load-config-file.ts";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { DataDirInUse, StartError } from "../core/status/start-error.ts";
import { printableJson } from "../core/text/printable.ts";
import { proxyOf } from "../service/client/proxy.ts";
import type { Given } from "./arguments.ts";
import { isDemo, startDemo } from "./demo.ts";
import { systemClock } from "./system-clock.ts";

export interface AdminConnection {
  readonly ask: <Asked extends AdminRequest>(question: Asked) => Promise<AdminResponses[Asked["ask"]]>;
  /** True if a running daemon answers. */
  readonly isRunning: boolean;
  /** True for the demo. */
  readonly isDemo: boolean;
}

/** Attempts to reach a daemon that holds the data directory and does not respond yet, because it is starting. */
const ATTEMPTS = { most: 15, everyMs: 200 };

/** Runs `work` with a connection. Errors: rejects with a StartError if the data directory cannot be used. */
export async function withAdminConnection<Result>(
  given: Given,
  work: (admin: AdminConnection) => Promise<Result>,
): Promise<Result> {
  const { config, path } = loadConfiguration(given.configPath, process.env);
  const isInvented = isDemo(config);
  if (isInvented && path !== null)
    throw new StartError(`${path} has neither consumer.api_key nor third_party; set one of them`);
  const clock = systemClock(given.simulated);
  for (let attempts = 1; ; attempts++) {
    const socket = await runningDaemon(config.data_dir);
    if (socket !== null) return work({ ask: askAt(socket), isRunning: true, isDemo: isInvented });
    try {
      return await withoutDaemon(config, clock, (ask) => work({ ask, isRunning: false, isDemo: isInvented }));
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
      if (adminSocketPath(config.data_dir) === null) throw new StartError(NO_SOCKET);
      if (attempts === ATTEMPTS.most) throw error;
      await pause(ATTEMPTS.everyMs);
    }
  }
}

/** Returns the socket of the daemon that runs with a data directory; null if none runs. */
export async function runningDaemon(dataDir: string): Promise<string | null> {
  const socket = adminSocketPath(dataDir);
  return socket === null || (await sendAdminRequest(socket, { ask: "here" })) === null ? null : socket;
}

function askAt(socket: string): AdminConnection["ask"] {
  return async (question) => {
    const answer = await sendAdminRequest(socket, question);
    if (answer === null) throw new StartError("the daemon stopped during the command; try again");
    return printableJson(answer);
  };
}

/** Opens the data directory, or that of the demo, while `work` runs. */
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
    const offline = openOffline({
      ...{ config: demo?.config ?? config, clock, isDemo: demo !== null },
      proxy: demo ? null : proxyOf(process.env),
    });
    const ask = async (question: AdminRequest) => printableJson(await offline.admin.answer(question));
    return await work(ask as AdminConnection["ask"]).finally(() => offline.close());
  } finally {
    await demo?.close();
  }
}
