/**
 * `npm run lab -- python`: installs programs of PyPI in a temporary folder, and checks with them the Kubernetes manifests
 * and a client that is generated from the OpenAPI document. Exit code 75: they cannot be installed here.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { MINUTE_MS } from "../../src/core/time/interval.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { copiedFiles } from "../support/docs/copied-files.ts";
import { planEntry } from "../support/plans/plan-topics.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const CONFIG = path.resolve(import.meta.dirname, "../../config");
const PACKAGES = ["openapi-python-client==0.29.1", "kubernetes-validate==1.37.0"];
const MORNING = Date.parse("2026-03-10T09:00:00Z");
const CANNOT_RUN = 75;

using dir = new TempDir();
const bin = dir.file("venv/bin");
if (!install()) process.exitCode = CANNOT_RUN;
else {
  await run("kubernetes-validate", ["--strict", ...copiedFiles("kubernetes").map((file) => path.join(CONFIG, file))]);
  console.log("python: kubernetes-validate accepts the manifests");
  await useGeneratedClient();
}

function install(): boolean {
  const steps = [
    ["python3", "-m", "venv", dir.file("venv")],
    [`${bin}/python`, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES],
  ] as const;
  const failing = steps.find(([program, ...args]) => spawnSync(program, args, { stdio: "inherit" }).status !== 0);
  if (failing) console.log(`python: skipped, ${failing.join(" ")} fails`);
  return !failing;
}

/** Serves a price and a plan, and uses them with the generated client. */
async function useGeneratedClient(): Promise<void> {
  const plans = [planEntry({ kind: "window", hours: 2, from: "10:00", ready_by: "20:00", kwh: 2 })];
  const keys = [{ name: "test", key: LAN_KEY, scopes: ["control" as const] }];
  const config = { plans, api: { host: "127.0.0.1", port: 0, keys } };
  await using daemon = await TestDaemon.start({ start: MORNING, simulator: { homes: ["danish"] }, config });
  await daemon.clock.runUntil(MORNING + 5 * MINUTE_MS);
  writeFileSync(dir.file("openapi.json"), await (await fetch(`${daemon.url}/openapi.json`)).text());
  const output = ["--output-path", dir.file("client"), "--meta", "none", "--fail-on-warning"];
  await run("openapi-python-client", ["generate", "--path", dir.file("openapi.json"), ...output]);
  const env = { ...process.env, URL: daemon.url, KEY: LAN_KEY, PYTHONPATH: dir.path };
  await run("python", [path.join(import.meta.dirname, "uses_client.py")], env);
}

/** Runs a program of the environment. Errors: it ends with one. */
async function run(program: string, args: readonly string[], env = process.env): Promise<void> {
  // The generator formats what it writes with a program in its own folder.
  const PATH = `${bin}:${env.PATH}`;
  const child = spawn(path.join(bin, program), args, { stdio: "inherit", env: { ...env, PATH } });
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`${program} ends with exit code ${status}`);
}
