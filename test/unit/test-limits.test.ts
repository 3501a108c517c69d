import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
/** Options of tests and polls, and the last argument of a test. Installations of other programs may have a limit. */
const LIMIT = /\b(retry|repeats|timeout): (?!INSTALL_MS)[\w_]|^\s*(\}, )?[\d_]{4,}\);$|\}, [A-Z_]+_MS\);$/;
/** Programs that fetch packages, as the arguments of a process. */
const INSTALLER = /"(npm|npx|pip3?|venv|uv)"/;

// vitest.config.ts has limits that only a hang reaches. A shorter one fails on a busy machine, and a retry hides defects.
test("no test has a retry or a time limit of its own", () => {
  const files = globSync("test/{unit,contract,flow,browser}/**/*.test.ts", { cwd: ROOT });
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    readFileSync(path.join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, i) => (LIMIT.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : [])),
  );
  expect(found.filter((line) => !line.includes("test-limits.test.ts"))).toEqual([]);
});

// Workers that install at the same moment find half of each other's packages. `.ci/prepare` installs before the first test.
test("no test installs packages", () => {
  const files = globSync("test/{unit,contract,flow,browser,support}/**/*.ts", { cwd: ROOT });
  const installing = files.filter((file) => INSTALLER.test(readFileSync(path.join(ROOT, file), "utf8")));
  const ofTests = installing.filter((file) => !file.startsWith(path.join("test", "support", "bench")));
  // It tests `.ci/prepare` with an npm of its own.
  expect(ofTests).toEqual(["test/unit/install-script.test.ts"]);
});
