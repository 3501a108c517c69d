/** Packages that only some tests need (test/package.json), too large for every development installation. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Folder of test/package.json, in which the packages are installed. */
export const TEST_FOLDER: string = fileURLToPath(new URL("../../", import.meta.url));
const INSTALL_TIMEOUT_MS = 240_000;

/**
 * Installs the packages unless the required versions are installed. Returns false if that fails, for example without a
 * network.
 */
export function installTestPackages(): boolean {
  const { dependencies } = packageAt("package.json");
  const isInstalled = Object.entries(dependencies ?? {}).every(([name, version]) => {
    const file = `node_modules/${name}/package.json`;
    return existsSync(`${TEST_FOLDER}${file}`) && packageAt(file).version === version;
  });
  if (isInstalled) return true;
  try {
    const given = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", ["install", ...given], { cwd: TEST_FOLDER, timeout: INSTALL_TIMEOUT_MS, stdio: "ignore" });
    // The tests and these packages use the zod of elbro: schemas of two copies do not know each other's names.
    rmSync(`${TEST_FOLDER}node_modules/zod`, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

function packageAt(file: string): {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
} {
  return JSON.parse(readFileSync(`${TEST_FOLDER}${file}`, "utf8"));
}
