/** The endpoints on a Unix socket in the data directory, for commands. Only its owner may open it, without a key. */
import { once } from "node:events";
import { chmodSync, existsSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { errorMessage } from "../core/text/error-words.ts";
import { ownJson } from "../core/text/own-json.ts";
import type { Lookup } from "../http/listener.ts";
import { readTextBody } from "../http/request-body.ts";
import type { ApiDeps } from "./deps.ts";

const OWNER_ONLY = 0o600;
/** Longest socket path in bytes that every system accepts. */
const MAX_PATH_LENGTH = 100;
/** Message if `socketPathIn` returns null. */
export const NO_SOCKET = `commands such as elbro prices cannot reach the running daemon, because the path of data_dir is longer than ${MAX_PATH_LENGTH - "/elbro.sock".length} bytes; use a shorter path, or stop the daemon first`;
/** Longest JSON response in bytes. Diagnostics of 100 homes take a few MB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_CALLERS = 8;
/** Time limits. A request arrives at once; a response may wait for three requests to the service. */
const REQUEST_MS = 5_000;
const ANSWER_MS = 120_000;
/** Errors that mean that no daemon listens, or that it was killed. */
const NOBODY: ReadonlySet<unknown> = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK"]);

/** Returns the socket path of a data directory; null if the system or the length of the path does not allow one. */
export function socketPathIn(dataDir: string): string | null {
  const socketPath = path.join(dataDir, "elbro.sock");
  return process.platform === "win32" || Buffer.byteLength(socketPath) > MAX_PATH_LENGTH ? null : socketPath;
}

/** Serves requests at a socket until the signal fires. Rejects if the file system does not support sockets. */
export async function serveSocket(socketPath: string, endpoints: Lookup, signal: AbortSignal): Promise<void> {
  // Only one daemon holds the lock of the database, so an existing socket belongs to one that was killed.
  rmSync(socketPath, { force: true });
  const { createServer } = await import("node:http");
  const limits = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS };
  const server = createServer(limits, (sent, response) => void endpoints.lookup(sent, response));
  server.maxConnections = MAX_CALLERS;
  server.listen(socketPath);
  await once(server, "listening");
  chmodSync(socketPath, OWNER_ONLY);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  if (signal.aborted) close();
  signal.addEventListener("abort", close);
  server.unref();
}

export type SocketRequest = { readonly method?: "GET" | "POST" | "PUT" | "DELETE"; readonly body?: object };

/**
 * Sends a request to the daemon of a socket. Returns the response, whose body is not read yet; null if none runs. Imports
 * HTTP only if there is a socket: a request takes a twentieth of a start.
 */
export async function askSocket(
  socketPath: string,
  target: string,
  { method = "GET", body }: SocketRequest = {},
): Promise<IncomingMessage | null> {
  if (!existsSync(socketPath)) return null;
  const { request } = await import("node:http");
  const text = body && JSON.stringify(body);
  const headers = { host: "localhost", connection: "close", ...(text && { "content-type": "application/json" }) };
  const sent = request({ socketPath, path: target, method, headers, timeout: ANSWER_MS });
  sent.on("timeout", () => sent.destroy(new Error("the daemon does not answer")));
  sent.end(text);
  try {
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  } catch (error) {
    if (error instanceof Error && "code" in error && NOBODY.has(error.code)) return null;
    throw error;
  }
}

/** Reads the JSON of a response. Rejects if it is too long or no JSON. */
export async function readJsonAnswer(response: IncomingMessage): Promise<unknown> {
  const text = await readTextBody(response, MAX_ANSWER_BYTES);
  const body = typeof text === "string" ? ownJson(text) : undefined;
  if (body === undefined) throw new Error("the daemon's answer is too long or not JSON");
  return body;
}

/** Serves the endpoints at the socket of a data directory. Logs once if the file system does not support sockets. */
export async function openSocket(
  dataDir: string,
  owners: Lookup,
  { log, signal }: { readonly log: ApiDeps["log"]; readonly signal: AbortSignal },
): Promise<void> {
  const socketPath = socketPathIn(dataDir);
  if (socketPath === null) return log.warn({ data_dir: dataDir }, NO_SOCKET);
  if (signal.aborted) return;
  try {
    await serveSocket(socketPath, owners, signal);
  } catch (error) {
    const why = errorMessage(error);
    log.info(
      { why },
      "cannot open the command socket in the data directory: commands such as elbro prices work only while the daemon is stopped",
    );
  }
}

/** Returns the socket of the daemon that runs with a data directory; null if none runs. */
export async function runningDaemon(dataDir: string): Promise<string | null> {
  const socket = socketPathIn(dataDir);
  const answer = socket === null ? null : await askSocket(socket, "/local/v1/session");
  answer?.resume();
  return answer && socket;
}
