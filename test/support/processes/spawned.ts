/** Spawned processes: the simulator as one, the first line of one, and its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";

const SCRIPT = path.resolve(import.meta.dirname, "../service/simulator-process.ts");

/** Starts the simulator. Returns its address and the key of its first account, when it listens. */
export async function startSimulatorChild(environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [SCRIPT], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  const [url = "", key = ""] = (await firstLine(child)).split(" ");
  return { child, url, key };
}

export async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("the process has no output");
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return String(line);
}

/** Ends a process and waits until it has ended. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
