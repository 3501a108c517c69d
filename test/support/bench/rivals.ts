/**
 * Other programs that serve a prepared JSON body, for comparison. They are installed on demand into a temporary folder,
 * because only the benches use them.
 */
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../broker/mosquitto.ts";
import type { TempDir } from "../runner/temp-dir.ts";

const INSTALL_MS = 240_000;
const START_MS = 60_000;
const LOOK_EVERY_MS = 100;
const PATH = "/prices";

/** A server with the body at `path`. */
export interface Rival extends AsyncDisposable {
  readonly port: number;
  readonly path: string;
}

/**
 * Starts json-server with the body as its only resource. Resolves with null if it cannot be installed or does not
 * answer.
 */
export function jsonServer(dir: TempDir, body: object): Promise<Rival | null> {
  const file = dir.file("db.json");
  writeFileSync(file, JSON.stringify({ prices: body }));
  return start(dir, "json-server", "json-server", (port) => [
    file,
    "--port",
    String(port),
    "--host",
    "127.0.0.1",
    "-q",
  ]);
}

/**
 * Starts Prism with the body as the example of its only operation. Resolves with null if it cannot be installed or does
 * not answer.
 */
export function prism(dir: TempDir, body: object): Promise<Rival | null> {
  const file = dir.file("openapi.json");
  const answer = { description: "prices", content: { "application/json": { example: body } } };
  const paths = { [PATH]: { get: { responses: { 200: answer } } } };
  writeFileSync(file, JSON.stringify({ openapi: "3.0.3", info: { title: "prices", version: "1" }, paths }));
  return start(dir, "@stoplight/prism-cli", "prism", (port) => ["mock", file, "-p", String(port), "-h", "127.0.0.1"]);
}

async function start(
  dir: TempDir,
  name: string,
  command: string,
  argsFor: (port: number) => string[],
): Promise<Rival | null> {
  try {
    const args = ["install", "--prefix", dir.path, "--no-audit", "--no-fund", "--loglevel=error", name];
    execFileSync("npm", args, { cwd: dir.path, stdio: "ignore", timeout: INSTALL_MS });
  } catch (error) {
    console.log(`${name} cannot be installed: ${error instanceof Error ? error.message : "unknown error"}`);
    return null;
  }
  const port = await freePort();
  const bin = dir.file(`node_modules/.bin/${command}`);
  const child = spawn(process.execPath, [bin, ...argsFor(port)], { stdio: "ignore" });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const rival = {
    port,
    path: PATH,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await gone;
    },
  };
  for (const until = performance.now() + START_MS; performance.now() < until; await pause(LOOK_EVERY_MS)) {
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}`).catch(() => null);
    if (answer?.ok && (await answer.text()).includes('"data"')) return rival;
  }
  await rival[Symbol.asyncDispose]();
  console.log(`${name} does not answer`);
  return null;
}
