/** Tests that the lock files hold the packages of every platform, so that `npm ci` works on each of them. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

type LockedPackage = {
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

type Packages = Readonly<Record<string, LockedPackage>>;

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["", ".ci/packages/tests/", ".ci/packages/site/"];

function read<File>(name: string): File {
  return JSON.parse(readFileSync(new URL(name, ROOT), "utf8")) as File;
}

function lockedIn(folder: string): Packages {
  return read<{ readonly packages: Packages }>(`${folder}package-lock.json`).packages;
}

/** Returns true if Node finds `name` from the package at `from`: in its own node_modules or in one above. */
function isLocked(name: string, from: string, packages: Packages): boolean {
  if (`${from}${from && "/"}node_modules/${name}` in packages) return true;
  const above = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")));
  return from !== "" && isLocked(name, above, packages);
}

describe.each(FOLDERS)("%spackage-lock.json", (folder) => {
  const packages = lockedIn(folder);

  test("every dependency in the lock file is in the lock file, also those of other platforms", () => {
    const missing = Object.entries(packages).flatMap(([from, locked]) =>
      Object.keys({ ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies })
        .filter((name) => !isLocked(name, from, packages))
        .map((name) => `${name} of ${from || "elbro"}`),
    );
    expect(missing).toEqual([]);
  });

  test("the lock file and package.json ask for the same versions", () => {
    const wanted = read<LockedPackage>(`${folder}package.json`);
    expect(packages[""]?.dependencies).toEqual(wanted.dependencies);
    expect(packages[""]?.devDependencies).toEqual(wanted.devDependencies);
  });

  test("the lock file names no registry, so that packages come from the registry that npm is set to", () => {
    expect(
      Object.entries(packages).flatMap(([name, { resolved }]) => (resolved ? [`${name}: ${resolved}`] : [])),
    ).toEqual([]);
  });
});

test.each(["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"])(
  "the bundler, the compiler and the linter are locked for %s",
  (platform) => {
    const names = Object.keys(lockedIn(""));
    for (const prefix of ["@rolldown/binding-", "@typescript/typescript-", "@biomejs/cli-"])
      expect(names).toContainEqual(expect.stringContaining(`node_modules/${prefix}${platform}`));
  },
);
