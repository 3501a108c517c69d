/**
 * Prepares Python for Home Assistant: on this machine if its Python is new enough, otherwise in a Debian below `build/`
 * that is entered with chroot. Nothing is mounted into that Debian, so its folder can be deleted safely.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";

const FOLDER = path.resolve(import.meta.dirname, "../../build/homeassistant");
/** Minimum Python of Home Assistant 2026.10 and later. */
const PYTHON = [3, 14, 2] as const;
/** Debian suite for debootstrap that has this Python. */
const SUITE = "sid";
/** Configuration of name servers, certificates and package indexes, copied from this machine. */
const NETWORK_FILES = ["/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf"];
/** Low priority, so that measurements on the same machine are not disturbed. */
const NICE = ["nice", "-n", "10"];

/** Error: Home Assistant cannot be installed here, for a reason outside of elbro. */
export class CannotInstall extends Error {}

export interface Machine {
  readonly pythonVersion: string;
  readonly python: string;
  /** Folder of Home Assistant, as a path inside the chroot. */
  readonly folder: string;
  /** Returns the path on this machine for a path inside the chroot. */
  outside(inside: string): string;
  /** Runs a program. Returns its standard output. Throws with the end of its standard error. */
  run(...command: string[]): string;
  spawn(...command: string[]): ChildProcess;
}

/** Prepares the machine. Everything together may take `withinMs` from now on. Throws `CannotInstall`. */
export function prepareMachine(withinMs: number): Machine {
  giveUpAt = performance.now() + withinMs;
  const python = ["python3.14", "python3"].find((name) => isNewEnough(versionOf([name])));
  if (python !== undefined) return machine({ root: "", folder: FOLDER, python });
  if (process.getuid?.() !== 0) throw new CannotInstall(`Python ${PYTHON.join(".")} is needed, or root for a Debian`);
  const root = path.join(FOLDER, SUITE);
  if (!existsSync(root)) installDebian(root);
  return machine({ root, folder: "/elbro", python: "python3" });
}

function machine({ root, folder, python }: { root: string; folder: string; python: string }): Machine {
  const entered = root === "" ? NICE : [...NICE, "chroot", root];
  const version = versionOf([...entered, python]);
  if (!isNewEnough(version)) throw new CannotInstall(`Python ${PYTHON.join(".")} is needed; ${SUITE} has ${version}`);
  mkdirSync(path.join(root, folder), { recursive: true });
  return {
    pythonVersion: version,
    python,
    folder,
    outside: (inside) => path.join(root, inside),
    run: (...command) => run(...entered, ...command),
    spawn: (...command) => {
      const [program = "", ...args] = [...entered, ...command];
      return spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    },
  };
}

/** Installs a small Debian. Uses another name until it is complete, so that an interrupted attempt is repeated. */
function installDebian(root: string): void {
  if (!canRun("apt-get", "--version")) throw new CannotInstall(`Python ${PYTHON.join(".")} is needed, or apt-get`);
  if (!canRun("debootstrap", "--version")) {
    attempt("apt-get", "update");
    attempt("apt-get", "install", "-y", "--no-install-recommends", "debootstrap");
  }
  const part = `${root}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const packages = "--include=ca-certificates,python3,python3-venv";
  attempt(...NICE, "debootstrap", "--variant=minbase", packages, SUITE, part, debianMirror());
  for (const file of NETWORK_FILES) if (existsSync(file)) copyFileSync(file, path.join(part, file));
  renameSync(part, root);
}

/** Returns the Debian mirror of this machine's apt. */
function debianMirror(): string {
  const targets = run("apt-get", "indextargets", "--format", "$(LABEL) $(SITE)", "Created-By: Packages");
  const mirror = /^Debian (\S+)$/m.exec(targets)?.[1];
  if (mirror === undefined) throw new CannotInstall("apt of this machine has no mirror of Debian");
  return mirror;
}

/** Returns the version of a Python, for instance `3.14.1`; empty if it is not installed. */
function versionOf(python: readonly string[]): string {
  try {
    return run(...python, "-c", "import platform; print(platform.python_version())").trim();
  } catch {
    return "";
  }
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const [, needMinor, needPatch] = PYTHON;
  return major === PYTHON[0] && (minor > needMinor || (minor === needMinor && patch >= needPatch));
}

function canRun(...command: string[]): boolean {
  try {
    run(...command);
    return true;
  } catch {
    return false;
  }
}

function attempt(...command: string[]): void {
  try {
    run(...command);
  } catch (error) {
    throw new CannotInstall(error instanceof Error ? error.message : String(error));
  }
}

/** Maximum output of a program; an installation writes less. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const SHOWN_LINES = 5;
let giveUpAt = Number.POSITIVE_INFINITY;

function run(...command: string[]): string {
  const [program = "", ...args] = command;
  try {
    return execFileSync(program, args, {
      ...(Number.isFinite(giveUpAt) && { timeout: Math.max(1, Math.ceil(giveUpAt - performance.now())) }),
      encoding: "utf8",
      maxBuffer: MAX_OUTPUT_BYTES,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    const { stderr = "", message, code } = error as { stderr?: string; message: string; code?: string };
    if (code === "ETIMEDOUT") throw new Error(`${program} ${args.slice(0, 2).join(" ")} took too long`);
    const last = (stderr || message).trim().split("\n").slice(-SHOWN_LINES).join("\n");
    throw new Error(`${command.join(" ")}: ${last}`);
  }
}
