import { execFileSync } from "node:child_process";
import path from "node:path";

/** Builds the bundle that users run. The vitest projects that start the bundle use this file as `globalSetup`. */
export function setup(): void {
  execFileSync("npm", ["run", "--silent", "build"], {
    cwd: path.resolve(import.meta.dirname, "../../.."),
    stdio: "inherit",
  });
}
