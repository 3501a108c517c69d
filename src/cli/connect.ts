/** Sends a command's requests to the running daemon, or to the endpoints in this process if none runs. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  askSocket,
  NO_SOCKET,
  readJsonAnswer,
  runningDaemon,
  type SocketRequest,
  socketPathIn,
} from "../api/socket.ts";
import { loadConfiguration } from "../config/reading/load-config-file.ts";
import type { Config } from "../config/schema/schema.ts";
import { DataDirInUse, StartError } from "../core/status/start-error.ts";
import { printableJson } from "../core/text/printable.ts";
import { serveCommandOffline } from "../daemon.ts";
import { proxyOf } from "../service/client/proxy.ts";
import type { Arguments } from "./arguments.ts";
import { isDemo, refuseWithoutAccount, startDemo } from "./demo.ts";
import { systemClock } from "./system-clock.ts";

/** Answer of an endpoint: its JSON, or the reason of an error. */
export type DaemonReply<Body> =
  | { readonly kind: "ok"; readonly body: Body }
  | { readonly kind: "error"; readonly code: string; readonly reason: string };

export interface Connection {
  /** Sends a request to an endpoint, and reads its JSON. */
  readonly ask: <Body>(target: string, request?: SocketRequest) => Promise<DaemonReply<Body>>;
  /** Sends a request whose response is not JSON. */
  readonly open: (target: string) => Promise<IncomingMessage>;
  /** True if a running daemon answers. */
  readonly isRunning: boolean;
  readonly isDemo: boolean;
}

/** Attempts to reach a daemon that holds the data directory and does not respond yet, because it is starting. */
const ATTEMPTS = { most: 15, everyMs: 200 };

/** Runs `work` with a connection. Errors: rejects with a StartError if the data directory cannot be used. */
export async function withConnection<Result>(
  given: Arguments,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const loaded = loadConfiguration(given.configPath, process.env);
  refuseWithoutAccount(loaded);
  const { config } = loaded;
  const isInvented = isDemo(config);
  for (let attempts = 1; ; attempts++) {
    const socket = await runningDaemon(config.data_dir);
    if (socket !== null) return work({ ...requestsTo(socket), isRunning: true, isDemo: isInvented });
    try {
      return await withoutDaemon(config, given, work);
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
      if (socketPathIn(config.data_dir) === null) throw new StartError(NO_SOCKET);
      if (attempts === ATTEMPTS.most) throw error;
      await pause(ATTEMPTS.everyMs);
    }
  }
}

/** Returns the body of a reply. Errors: throws a StartError for an error. */
export function bodyOf<Body>(reply: DaemonReply<Body>): Body {
  if (reply.kind === "error") throw new StartError(reply.reason);
  return reply.body;
}

function requestsTo(socket: string): Pick<Connection, "ask" | "open"> {
  const open = async (target: string, request?: SocketRequest) => {
    const answer = await askSocket(socket, target, request);
    if (answer === null) throw new StartError("the daemon stopped during the command; try again");
    return answer;
  };
  return {
    open,
    async ask<Body>(target: string, request?: SocketRequest): Promise<DaemonReply<Body>> {
      const answer = await open(target, request);
      const body = printableJson(await readJsonAnswer(answer));
      if ((answer.statusCode ?? 0) < 300) return { kind: "ok", body: body as Body };
      const { errorCode, reason } = body as { readonly errorCode: string; readonly reason: string };
      return { kind: "error", code: errorCode, reason };
    },
  };
}

async function withoutDaemon<Result>(
  config: Config,
  given: Arguments,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const clock = systemClock(given.simulated);
  const demo = isDemo(config) ? await startDemo({ config, clock }) : null;
  if (demo) process.stderr.write("elbro: no account is configured, so this is a demo\n");
  const used = demo?.config ?? config;
  const folder = mkdtempSync(path.join(tmpdir(), "elbro-"));
  const socket = path.join(folder, "command.sock");
  try {
    requireOwner(used.data_dir);
    const served = await serveCommandOffline(
      {
        config: used,
        clock,
        log: SILENT,
        random: Math.random,
        anonymousBroker: false,
        isDemo: demo !== null,
        simulatedTime: given.simulated !== null || demo !== null,
        proxy: demo ? null : proxyOf(process.env),
      },
      socket,
    );
    const connection = { ...requestsTo(socket), isRunning: false, isDemo: demo !== null };
    return await work(connection).finally(() => served.close());
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await demo?.close();
  }
}

const ignore = () => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore };

/** Throws a StartError for root if another user owns the data: that user could not change files that root writes. */
export function requireOwner(dataDir: string): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  if (process.getuid?.() !== 0 || owner === undefined || owner === 0) return;
  throw new StartError(
    `run this as the user who owns ${dataDir}, for instance sudo -u '#${owner}' elbro …, because the daemon cannot write files that root creates`,
  );
}
