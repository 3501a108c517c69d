/** Tests `.ci/prepare`, which `npm start` runs first, in a new clone with the machine's Node. */
import { execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { TempDir } from "../support/runner/temp-dir.ts";

const SCRIPT = new URL("../../.ci/prepare", import.meta.url);
const OLD = 0;
const NEW = Date.now() / 1_000 + 3_600;
const SOURCES = ["package-lock.json", "rolldown.config.ts", "tsconfig.json", "src/main.ts", "src", "docs"];

/**
 * An npm that notes what it does. It installs Node 24, and its build writes the program. Of the packages of single tests
 * it installs the first, and then is refused, or its caller is killed, or it installs the second.
 */
const NPM = `
if test "\${PWD%/build/packages/tests.new}" != "$PWD"; then
  cd "\${PWD%/build/packages/tests.new}"
  mkdir -p build/packages/tests.new/node_modules/first
  if test -e refused; then exit 1; fi
  if test -e killed; then kill -KILL "$(cat .ci/lock)"; exit 1; fi
  mkdir build/packages/tests.new/node_modules/second
elif test "$1" = ci; then
  rm -rf node_modules/vitest
  mkdir -p node_modules/.bin
  case "$*" in *include=dev*) mkdir node_modules/vitest ;; esac
  case $(node --version) in v18.*) ;; *) mkdir -p node_modules/@rolldown/binding-here ;; esac
  printf "#!/bin/sh\\necho v24.21.0\\n" > node_modules/.bin/node
  chmod +x node_modules/.bin/node
  touch node_modules/.package-lock.json
else
  mkdir -p dist
  touch dist/elbro.cjs
fi
echo "$*" | cut -d " " -f 1-3 >> done`;

/** A new clone on a machine with this version of Node. */
class Clone implements Disposable {
  readonly #dir = new TempDir();
  readonly #path: string;

  constructor(node: string) {
    const dir = this.#dir;
    for (const folder of [".ci/packages/tests", "machine", "src", "docs"])
      mkdirSync(dir.file(folder), { recursive: true });
    copyFileSync(SCRIPT, dir.file(".ci/prepare"));
    for (const [name, text] of [
      ["node", `echo ${node}`],
      ["npm", NPM],
    ] as const) {
      writeFileSync(dir.file(`machine/${name}`), `#!/bin/sh\n${text}\n`);
      chmodSync(dir.file(`machine/${name}`), 0o755);
    }
    for (const name of SOURCES) {
      if (name !== "src" && name !== "docs") writeFileSync(dir.file(name), "");
    }
    for (const name of ["package.json", "package-lock.json"])
      writeFileSync(dir.file(`.ci/packages/tests/${name}`), name);
    this.date(SOURCES, OLD);
    this.#path = `${dir.file("machine")}:/usr/bin:/bin`;
  }

  date(names: readonly string[], at: number): void {
    for (const name of names) utimesSync(this.#dir.file(name), at, at);
  }

  /** Runs the script. Returns what npm did. */
  prepare(...args: string[]): string[] {
    writeFileSync(this.#dir.file("done"), "");
    const env = { PATH: this.#path };
    const { status, stderr } = spawnSync("/bin/sh", [".ci/prepare", ...args], { cwd: this.#dir.path, env });
    expect(status, String(stderr)).toBe(0);
    return this.#done();
  }

  /** Runs the script `count` times at the same moment, after a run that was killed. Returns what npm did in all. */
  async prepareTogether(count: number, ...args: string[]): Promise<string[]> {
    writeFileSync(this.#dir.file("done"), "");
    writeFileSync(this.#dir.file(".ci/lock"), `${spawnSync("/bin/true").pid}\n`);
    const options = { cwd: this.#dir.path, env: { PATH: this.#path } };
    await Promise.all(
      Array.from({ length: count }, () => promisify(execFile)("/bin/sh", [".ci/prepare", ...args], options)),
    );
    expect(existsSync(this.#dir.file(".ci/lock"))).toBe(false);
    return this.#done();
  }

  #done(): string[] {
    return readFileSync(this.#dir.file("done"), "utf8").trim().split("\n").filter(Boolean);
  }

  /** Runs the script while the registry refuses packages, or until npm's caller is killed. Returns its exit code. */
  installTests(trouble: "refused" | "killed"): number | null {
    writeFileSync(this.#dir.file(trouble), "");
    const env = { PATH: this.#path };
    const { status } = spawnSync("/bin/sh", [".ci/prepare", "tests"], { cwd: this.#dir.path, env });
    this.delete(trouble);
    return status;
  }

  /** Packages of single tests that are installed. */
  get packages(): readonly string[] {
    const folder = this.#dir.file("build/packages/tests/node_modules");
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(this.#dir.file(name)), { recursive: true });
    writeFileSync(this.#dir.file(name), text);
  }

  has(name: string): boolean {
    return existsSync(this.#dir.file(name));
  }

  delete(name: string): void {
    rmSync(this.#dir.file(name));
  }

  [Symbol.dispose](): void {
    this.#dir[Symbol.dispose]();
  }
}

const ALL = "ci --include=dev --loglevel=error";
const TO_RUN = "ci --omit=dev --loglevel=error";
const TO_RUN_HERE = "ci --omit=dev --ignore-scripts";
const BUILD = "run --silent build";

// npm omits packages that the running Node is too old for, such as the bundler's native part on Node 18.
test.each([
  ["v18.20.8", [ALL, ALL]],
  ["v20.20.2", [ALL]],
  ["v24.21.0", [ALL]],
])("on Node %s, all packages are installed with the bundler's native part, and not again", (node, installs) => {
  using clone = new Clone(node);
  expect([clone.prepare(), clone.prepare()]).toEqual([installs, []]);
});

test.each([
  ["v18.20.8", [TO_RUN, TO_RUN]],
  ["v20.20.2", [TO_RUN]],
  ["v24.4.1", [TO_RUN]],
  ["v24.5.0", [TO_RUN_HERE]],
  ["v26.1.0", [TO_RUN_HERE]],
])("on Node %s, the start installs what runs elbro, with a Node if this one is not right", (node, installs) => {
  using clone = new Clone(node);
  expect([clone.prepare("build"), clone.prepare("build")]).toEqual([[...installs, BUILD], []]);
});

test("the packages of the tests are installed for the tests, and stay when a start updates", () => {
  using clone = new Clone("v24.21.0");
  expect(clone.prepare("build")).toEqual([TO_RUN_HERE, BUILD]);
  expect([clone.prepare(), clone.prepare(), clone.prepare("build")]).toEqual([[ALL], [], []]);
  clone.date(["package-lock.json"], NEW);
  expect(clone.prepare("build")[0]).toEqual(ALL);
});

test("the preparation builds only if the program is missing or a source is newer", () => {
  using clone = new Clone("v24.21.0");
  expect(clone.prepare("build")).toEqual([TO_RUN_HERE, BUILD]);
  expect(clone.prepare("build")).toEqual([]);
  clone.date(["src/main.ts"], NEW);
  expect(clone.prepare("build")).toEqual([BUILD]);
  clone.date(["src/main.ts"], OLD);
  expect(clone.prepare("build")).toEqual([]);
  // The folder of a deleted source is newer.
  clone.date(["src"], NEW);
  expect(clone.prepare("build")).toEqual([BUILD]);
  clone.date(["src"], OLD);
  clone.delete("dist/elbro.cjs");
  expect(clone.prepare("build")).toEqual([BUILD]);
});

test("runs that start at the same moment take turns, and only the first does the work", async () => {
  using clone = new Clone("v24.21.0");
  expect(await clone.prepareTogether(4, "build")).toEqual([TO_RUN_HERE, BUILD]);
});

const TESTS = "ci --ignore-scripts --no-audit";

test("of runs that start at the same moment, one installs the packages of single tests", async () => {
  using clone = new Clone("v24.21.0");
  expect(await clone.prepareTogether(4, "tests")).toEqual([ALL, TESTS]);
  expect(clone.packages).toEqual(["first", "second"]);
  expect(clone.prepare("tests")).toEqual([]);
});

test("packages of single tests are installed whole or not at all, also if the registry refuses one or npm is killed", () => {
  using clone = new Clone("v24.21.0");
  expect([clone.installTests("refused"), clone.packages]).toEqual([0, []]);
  expect([clone.installTests("killed"), clone.packages]).toEqual([null, []]);
  expect([clone.prepare("tests"), clone.packages]).toEqual([[TESTS], ["first", "second"]]);
  clone.write(".ci/packages/tests/package-lock.json", "a new version");
  expect([clone.installTests("killed"), clone.packages]).toEqual([null, ["first", "second"]]);
  expect([clone.prepare("tests"), clone.prepare("tests")]).toEqual([[TESTS], []]);
  expect(clone.has("build/packages/tests.new") || clone.has("build/packages/tests.old")).toBe(false);
});

test("packages that earlier versions installed next to the tests do not hide those of the project", () => {
  using clone = new Clone("v24.21.0");
  clone.write("test/node_modules/ajv/package.json", "{}");
  clone.prepare("tests");
  expect(clone.has("test/node_modules")).toBe(false);
});
