import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/** Virtual environment that is kept between runs. */
const ENVIRONMENT = path.resolve(import.meta.dirname, "../../../node_modules/.cache/kubernetes-validate");
const PROGRAM = path.join(ENVIRONMENT, "bin/kubernetes-validate");
const PACKAGE = "kubernetes-validate==1.37.0";
const INSTALL_TIMEOUT_MS = 90_000;

/** Installs kubernetes-validate (PyPI) unless it is installed. Returns its path, or the reason why that failed. */
export function kubernetesValidate(): { readonly program: string } | { readonly missing: string } {
  if (existsSync(PROGRAM)) return { program: PROGRAM };
  for (const [program, ...args] of [
    ["python3", "-m", "venv", ENVIRONMENT],
    [path.join(ENVIRONMENT, "bin/python"), "-m", "pip", "install", "--quiet", PACKAGE],
  ] as const) {
    const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8", timeout: INSTALL_TIMEOUT_MS });
    if (status !== 0) return { missing: error?.message ?? stderr.trim().split("\n").at(-1) ?? "it does not say why" };
  }
  return { program: PROGRAM };
}
