/** Runs unit tests with the text of one source replaced: `ELBRO_MUTANT` is a `ReplacedSource` as JSON. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import type { ReplacedSource } from "./run.ts";

const { ELBRO_MUTANT = "" } = process.env;
const ROOT = path.join(import.meta.dirname, "../..");
const replaced = JSON.parse(ELBRO_MUTANT) as ReplacedSource;

export default defineConfig({
  plugins: [
    {
      name: "mutant",
      enforce: "pre",
      load(id) {
        const [file = ""] = id.split("?");
        return file === path.join(ROOT, replaced.file) ? readFileSync(replaced.textPath, "utf8") : null;
      },
    },
  ],
  test: {
    root: ROOT,
    include: ["test/unit/**/*.test.ts"],
    isolate: false,
    maxWorkers: 1,
    bail: 1,
    reporters: ["json"],
    deps: { interopDefault: false },
    setupFiles: ["test/support/runner/property-settings.ts"],
  },
});
