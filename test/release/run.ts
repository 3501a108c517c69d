/**
 * Builds the release twice, compares the bytes, and installs its package as a stranger would, without the registry:
 * `npx ./elbro-1.2.0.tgz` runs the demo in an empty folder, and `npm install --global` gives the command `elbro`.
 * Prints the times. Exit code 75: this commit has no section for its version in the change log.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { releaseNotes } from "../../release/release-notes.ts";
import { freePort } from "../support/broker/mosquitto.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const OUT = path.join(ROOT, "build/release");
const FIRST_ANSWER_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 50;

const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const name = `elbro-${version}.tgz`;

try {
  releaseNotes(readFileSync(path.join(ROOT, "CHANGELOG.md"), "utf8"), version);
} catch (error) {
  console.log(`release: ${error instanceof Error ? error.message : error}`);
  process.exit(75);
}
sameBytesTwice();
using dir = new TempDir();
const environment = { ...process.env, npm_config_cache: dir.file("cache"), npm_config_offline: "true" };
await npxRunsTheDemo();
globalCommand();

function sameBytesTwice(): void {
  const [first, second] = [1, 2].map(() => {
    execFileSync("node", ["release/release.ts"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    return readFileSync(path.join(OUT, "SHA256SUMS"), "utf8");
  });
  if (first !== second) throw new Error(`two releases of one commit differ:\n${first}\n${second}`);
  console.log(`release: the same bytes twice: ${readdirSync(OUT).join(", ")}`);
}

async function npxRunsTheDemo(): Promise<void> {
  const folder = dir.file("empty");
  mkdirSync(folder);
  copyFileSync(path.join(OUT, name), path.join(folder, name));
  const began = performance.now();
  const [port, broker] = [await freePort(), await freePort()];
  const demo = spawn("npx", ["--yes", `./${name}`], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...environment, ELBRO_API_PORT: String(port), ELBRO_BROKER_PORT: String(broker) },
  });
  const ended = once(demo, "exit");
  try {
    const price = await firstPrice(port, demo);
    const files = readdirSync(folder);
    if (files.length !== 1) throw new Error(`the demo left files behind: ${files.join(", ")}`);
    console.log(`release: npx ./${name} shows ${price} after ${seconds(began)}`);
  } finally {
    // npx does not pass the signal on, so the whole group gets it.
    if (demo.pid !== undefined) process.kill(-demo.pid, "SIGTERM");
    await ended;
  }
}

/** Waits for the first price of the demo. Returns it with its unit. */
async function firstPrice(port: number, demo: ChildProcess): Promise<string> {
  const began = performance.now();
  while (performance.now() - began < FIRST_ANSWER_WITHIN_MS && demo.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/local/v1/now`, {
      headers: { authorization: "Bearer demo" },
    }).catch(() => null);
    const body: unknown = response?.ok ? await response.json() : null;
    const price = /"price":(-?[\d.]+)/.exec(JSON.stringify(body))?.[1];
    if (price !== undefined) return price;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`the demo shows no price within ${FIRST_ANSWER_WITHIN_MS / 1_000} s`);
}

function globalCommand(): void {
  const began = performance.now();
  const prefix = dir.file("global");
  execFileSync("npm", ["install", "--global", "--silent", "--prefix", prefix, path.join(OUT, name)], {
    env: environment,
  });
  const shown = execFileSync(path.join(prefix, "bin/elbro"), ["version"], { encoding: "utf8" }).trim();
  if (!shown.includes(version)) throw new Error(`elbro version shows ${shown}; expected ${version}`);
  console.log(`release: npm install --global gives elbro ${shown} after ${seconds(began)}`);
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
}
