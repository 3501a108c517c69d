import { execFileSync } from "node:child_process";
import path from "node:path";

/**
 * Builds the bundle that users run if a source is newer. The vitest projects that start the bundle use this file as
 * `globalSetup`.
 */
export function setup(): void {
  const cwd = path.resolve(import.meta.dirname, "../../..");
  execFileSync("sh", [".ci/prepare", "build"], { cwd, stdio: "inherit" });
}
