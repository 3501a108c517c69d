import { execFileSync } from "node:child_process";
import path from "node:path";

/** Builds the bundle that users run. The vitest projects that start it name this file as their global set-up. */
export function setup(): void {
  execFileSync("npm", ["run", "--silent", "build"], {
    cwd: path.resolve(import.meta.dirname, "../../.."),
    stdio: "inherit",
  });
}
