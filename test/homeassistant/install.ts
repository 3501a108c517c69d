/** Installs Home Assistant in a virtual environment: the version of requirements.txt, or the newest. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CannotInstall, type Machine } from "./machine.ts";

const REQUIREMENTS = path.join(import.meta.dirname, "requirements.txt");
const INTEGRATIONS = path.join(import.meta.dirname, "integration_requirements.py");

export interface Installation {
  /** Path of Home Assistant's program inside the chroot. */
  readonly hass: string;
  readonly version: string;
}

/** Installs Home Assistant. Throws `CannotInstall`. */
export function install(machine: Machine, { newest }: { readonly newest: boolean }): Installation {
  const environment = path.join(machine.folder, newest ? "newest" : "pinned");
  const python = path.join(environment, "bin/python");
  try {
    if (newest) installNewest(machine, environment, python);
    else installPinned(machine, environment, python);
  } catch (error) {
    throw new CannotInstall(error instanceof Error ? error.message : String(error));
  }
  const version = machine.run(python, "-c", "import homeassistant.const as c; print(c.__version__)").trim();
  return { hass: path.join(environment, "bin/hass"), version };
}

/** Installs the pinned version, unless list and Python are the same as at the last installation. */
function installPinned(machine: Machine, environment: string, python: string): void {
  const list = readFileSync(REQUIREMENTS, "utf8");
  const wanted = createHash("sha256").update(`${machine.pythonVersion}\n${list}`).digest("hex");
  const stamp = machine.outside(path.join(environment, "installed"));
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  rmSync(machine.outside(environment), { recursive: true, force: true });
  machine.run(machine.python, "-m", "venv", environment);
  const copy = path.join(environment, "requirements.txt");
  writeFileSync(machine.outside(copy), list);
  machine.run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", copy);
  writeFileSync(stamp, wanted);
}

/** Installs the newest version, and writes the list that would pin it. */
function installNewest(machine: Machine, environment: string, python: string): void {
  if (!existsSync(machine.outside(python))) machine.run(machine.python, "-m", "venv", environment);
  const pip = [python, "-m", "pip", "install", "--quiet", "--upgrade"];
  machine.run(...pip, "homeassistant");
  const script = path.join(environment, "integration_requirements.py");
  cpSync(INTEGRATIONS, machine.outside(script));
  const [constraints = "", ...requirements] = machine.run(python, script).trim().split("\n");
  machine.run(...pip, "--constraint", constraints, ...requirements);
  const list = machine.run(python, "-m", "pip", "freeze");
  writeFileSync(machine.outside(path.join(environment, "requirements.txt")), list);
  console.log(`the list of what is installed: ${machine.outside(path.join(environment, "requirements.txt"))}`);
}
