/** Runs unit tests with one mutated source, which is only changed in memory: `ELBRO_MUTANT` is a `Mutant` as JSON. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitest/config";
import type { Mutant } from "./run.ts";

const { ELBRO_MUTANT = "" } = process.env;
const ROOT = path.join(import.meta.dirname, "../..");
const mutant = JSON.parse(ELBRO_MUTANT) as Mutant;

export default defineConfig({
  plugins: [
    {
      name: "mutant",
      enforce: "pre",
      load(id) {
        const [file = ""] = id.split("?");
        if (file !== path.join(ROOT, mutant.file)) return null;
        const source = readFileSync(file, "utf8");
        return source.slice(0, mutant.start) + mutant.replacement + source.slice(mutant.end);
      },
    },
  ],
  test: {
    root: ROOT,
    include: ["test/unit/**/*.test.ts"],
    isolate: false,
    maxWorkers: 1,
    bail: 1,
    reporters: ["dot"],
    deps: { interopDefault: false },
    setupFiles: ["test/support/runner/property-settings.ts"],
  },
});
