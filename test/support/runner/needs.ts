/**
 * What tests need and a machine may lack. Tests without it are skipped, and `run-notes.ts` prints one line for each.
 * `.ci/run` names in TESTS_MUST_HAVE what it has installed, and there a lack is an error.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import manifest from "../../../.ci/packages/tests/package.json" with { type: "json" };

const ROOT = path.resolve(import.meta.dirname, "../../..");
/** Folder in which `.ci/prepare tests` installs the packages of single tests: whole, or not at all. */
export const TEST_PACKAGES: string = path.join(ROOT, "build/packages/tests");

/** Programs, in order of preference, and the package of Debian that has them. */
const PROGRAMS = {
  // Without windows, Chromium needs a third less time.
  Chromium: [["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"], "chromium-headless-shell"],
  Mosquitto: [["mosquitto"], "mosquitto"],
  "Mosquitto's clients": [["mosquitto_sub"], "mosquitto-clients"],
  PostgreSQL: [["initdb"], "postgresql"],
  curl: [["curl"], "curl"],
  openssl: [["openssl"], "openssl"],
  promtool: [["promtool"], "prometheus"],
  "systemd-analyze": [["systemd-analyze"], "systemd"],
} as const;
const FOLDERS = [
  ...(process.env.PATH ?? "").split(path.delimiter),
  ...["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin", "/opt/homebrew/bin"],
  // The newest version first.
  ...globSync("/usr/lib/postgresql/*/bin").toSorted().reverse(),
];

type Program = keyof typeof PROGRAMS;
type Package = keyof typeof manifest.dependencies;

/** Returns the path of a program; undefined if it is not installed. */
export function programPath(program: Program): string | undefined {
  return PROGRAMS[program][0]
    .flatMap((name) => FOLDERS.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));
}

/** Returns true if one of these is not installed, so that the tests that need it are skipped. */
export function lacks(...needs: readonly (Program | Package)[]): boolean {
  return needs.filter((need) => (isProgram(need) ? lacksProgram(need) : lacksPackage(need))).length > 0;
}

/** Loads a module of a package of single tests. Tests without it are skipped, see {@link lacks}. */
export const requirePackage: NodeJS.Require = createRequire(path.join(TEST_PACKAGES, "package.json"));

/** Tells the run that a need is not met, and what meets it. Errors: where everything must be installed. */
export function reportMissing(need: string, kind: "packages" | "programs", remedy: string): void {
  const line = `${need} is not installed (${remedy}): its tests are skipped.`;
  const { TESTS_MUST_HAVE = "", TESTS_MISSING } = process.env;
  if (TESTS_MUST_HAVE.split(" ").includes(kind)) throw new Error(line);
  if (TESTS_MISSING) writeFileSync(path.join(TESTS_MISSING, encodeURIComponent(need)), line);
}

function isProgram(need: string): need is Program {
  return Object.hasOwn(PROGRAMS, need);
}

function lacksProgram(program: Program): boolean {
  const isMissing = programPath(program) === undefined;
  if (isMissing) reportMissing(program, "programs", `apt-get install ${PROGRAMS[program][1]}`);
  return isMissing;
}

function lacksPackage(name: Package): boolean {
  const isMissing = lockOf(TEST_PACKAGES) !== lockOf(path.join(ROOT, ".ci/packages/tests"));
  if (isMissing) reportMissing(name, "packages", "sh .ci/prepare tests");
  return isMissing;
}

function lockOf(folder: string): string | null {
  const file = path.join(folder, "package-lock.json");
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
