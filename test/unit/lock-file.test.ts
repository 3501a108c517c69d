/** Tests that package-lock.json holds the packages of every platform, so that `npm ci` works on each of them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type LockedPackage = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const ROOT = new URL("../../", import.meta.url);
const { packages } = JSON.parse(readFileSync(new URL("package-lock.json", ROOT), "utf8")) as {
  packages: Record<string, LockedPackage>;
};

/** Returns true if Node finds `name` from the package at `from`: in its own node_modules or in one above. */
function isLocked(name: string, from: string): boolean {
  if (`${from}${from && "/"}node_modules/${name}` in packages) return true;
  return from !== "" && isLocked(name, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))));
}

test("every dependency in the lock file is in the lock file, also those of other platforms", () => {
  const missing = Object.entries(packages).flatMap(([from, locked]) =>
    Object.keys({ ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies })
      .filter((name) => !isLocked(name, from))
      .map((name) => `${name} of ${from || "elbro"}`),
  );
  expect(missing).toEqual([]);
});

test.each(["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64"])(
  "the bundler, the compiler and the linter are locked for %s",
  (platform) => {
    const names = Object.keys(packages);
    for (const prefix of ["@rolldown/binding-", "@typescript/typescript-", "@biomejs/cli-"])
      expect(names).toContainEqual(expect.stringContaining(`node_modules/${prefix}${platform}`));
  },
);

test("the lock file and package.json ask for the same versions", () => {
  const wanted = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")) as LockedPackage;
  expect(packages[""]?.dependencies).toEqual(wanted.dependencies);
  expect(packages[""]?.devDependencies).toEqual(wanted.devDependencies);
});
