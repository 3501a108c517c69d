/**
 * Socket by which commands on the same machine reach a running daemon. It is in the data directory; only its owner may
 * open it.
 * Each connection has one request and one response, both one line of JSON.
 */
import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import path from "node:path";
import type { AdminRequest, AdminResponses } from "./admin-api.ts";

const OWNER_ONLY = 0o600;
/** Longest socket path in bytes that every system accepts. */
const MAX_PATH_LENGTH = 100;
/** Message if `adminSocketPath` returns null. */
export const NO_SOCKET = `commands such as elbro prices cannot reach the running daemon, because the path of data_dir is longer than ${MAX_PATH_LENGTH - "/elbro.sock".length} bytes; use a shorter path, or stop the daemon first`;
const MAX_REQUEST_LENGTH = 4_096;
/** Longest response in bytes. Diagnostics of 100 homes take a few MB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_CALLERS = 8;
/** Time limits. A request arrives at once; a response may wait for three requests to the service. */
const QUESTION_MS = 5_000;
const ANSWER_MS = 120_000;
/** Errors that mean that no daemon listens, or that it was killed. */
const NOBODY: ReadonlySet<unknown> = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK"]);

type Reply = { readonly answer: unknown } | { readonly error: string };

/** Returns the socket path of a data directory; null if the system or the length of the path does not allow one. */
export function adminSocketPath(dataDir: string): string | null {
  const socketPath = path.join(dataDir, "elbro.sock");
  return process.platform === "win32" || Buffer.byteLength(socketPath) > MAX_PATH_LENGTH ? null : socketPath;
}

/** Serves requests at a socket until the signal fires. Rejects if the file system does not support sockets. */
export async function openAdminSocket(
  socketPath: string,
  answer: (question: AdminRequest) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  // Only one daemon holds the lock of the database, so an existing socket belongs to one that was killed.
  rmSync(socketPath, { force: true });
  const server = createServer((socket) => serve(socket, answer));
  server.maxConnections = MAX_CALLERS;
  server.listen(socketPath);
  await once(server, "listening");
  chmodSync(socketPath, OWNER_ONLY);
  if (signal.aborted) server.close();
  signal.addEventListener("abort", () => server.close());
  server.unref();
}

function serve(socket: Socket, answer: (question: AdminRequest) => Promise<unknown>): void {
  let line = "";
  const timer = setTimeout(() => socket.destroy(), QUESTION_MS);
  socket.unref();
  socket.on("error", () => socket.destroy());
  socket.on("close", () => clearTimeout(timer));
  socket.setEncoding("utf8").on("data", (part: string) => {
    line += part;
    if (line.length > MAX_REQUEST_LENGTH) return void socket.destroy();
    if (!line.includes("\n")) return;
    clearTimeout(timer);
    socket.pause();
    void replyTo(line, answer).then((reply) => socket.end(`${JSON.stringify(reply)}\n`));
  });
}

async function replyTo(line: string, answer: (question: AdminRequest) => Promise<unknown>): Promise<Reply> {
  try {
    const given = await answer(JSON.parse(line) as AdminRequest);
    return given === undefined
      ? { error: "the running elbro does not know this command; it may be another version: restart it" }
      : { answer: given };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Sends a request to the daemon of a data directory; null if none runs. Rejects with the daemon's error message. */
export async function sendAdminRequest<Asked extends AdminRequest>(
  socketPath: string,
  question: Asked,
): Promise<AdminResponses[Asked["ask"]] | null> {
  const answer = await exchange(socketPath, `${JSON.stringify(question)}\n`);
  if (answer === null) return null;
  const reply = JSON.parse(answer) as Reply;
  if ("error" in reply) throw new Error(reply.error);
  return reply.answer as AdminResponses[Asked["ask"]];
}

async function readAnswer(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of socket as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the daemon's answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

async function exchange(socketPath: string, line: string): Promise<string | null> {
  const socket = connect(socketPath);
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("the daemon does not answer")));
  socket.write(line);
  try {
    const answer = await readAnswer(socket);
    if (answer === "") throw new Error("the daemon closed the connection");
    return answer;
  } catch (error) {
    if (error instanceof Error && "code" in error && NOBODY.has(error.code)) return null;
    throw error;
  }
}
