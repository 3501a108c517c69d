/** Runs the installation script of the archive for systemd into a folder as root file system. */

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { lacks } from "../../support/runner/needs.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const isRoot = process.getuid?.() === 0;
const canVerify = isRoot && !lacks("systemd-analyze");

/** An unpacked archive, and a root file system with this version of Node. */
class Machine implements Disposable {
  readonly #dir = new TempDir();
  readonly root = this.#dir.file("root");

  constructor(version: string | null) {
    const archive = this.#dir.file("elbro-1.0.0");
    mkdirSync(path.join(archive, "program"), { recursive: true });
    writeFileSync(path.join(archive, "program/elbro.cjs"), "1");
    copyFileSync(path.join(ROOT, "release/install.sh"), path.join(archive, "install.sh"));
    for (const name of ["elbro.service", "elbro.example.yaml"])
      copyFileSync(path.join(ROOT, "config", name), path.join(archive, name));
    mkdirSync(path.join(this.root, "usr/bin"), { recursive: true });
    if (version !== null) this.writeNode("usr/bin/node", version);
  }

  writeNode(name: string, version: string): void {
    const file = path.join(this.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho ${version}\n`);
    chmodSync(file, 0o755);
  }

  write(name: string, text: string): void {
    writeFileSync(this.#dir.file(name), text);
  }

  /** Runs the script. Returns its exit code and what it printed. */
  install(...args: string[]): { status: number | null; text: string } {
    const script = this.#dir.file("elbro-1.0.0/install.sh");
    const { status, stdout, stderr } = spawnSync("/bin/sh", [script, ...args], {
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", ROOT: this.root },
      encoding: "utf8",
    });
    return { status, text: stdout + stderr };
  }

  read(name: string): string {
    return readFileSync(path.join(this.root, name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(path.join(this.root, name));
  }

  [Symbol.dispose](): void {
    this.#dir[Symbol.dispose]();
  }
}

describe.skipIf(!isRoot)("the installation under systemd (needs root)", () => {
  test("the first installation writes program, unit, command and a configuration that only root can read", () => {
    using machine = new Machine("v24.9.0");
    const { status, text } = machine.install();
    expect([status, text]).toEqual([0, expect.stringContaining("Write your key into /etc/elbro/elbro.yaml")]);
    expect(machine.read("opt/elbro/elbro.cjs")).toBe("1");
    expect(machine.read("usr/local/bin/elbro")).toContain("exec /usr/bin/node /opt/elbro/elbro.cjs");
    expect(statSync(path.join(machine.root, "etc/elbro/elbro.yaml")).mode & 0o777).toBe(0o600);
  });

  test("an upgrade replaces the program and keeps the configuration", () => {
    using machine = new Machine("v26.1.0");
    machine.install();
    machine.write("root/etc/elbro/elbro.yaml", "# mine");
    machine.write("root/opt/elbro/left.cjs", "old");
    machine.write("elbro-1.0.0/program/elbro.cjs", "2");
    expect(machine.install()).toEqual({ status: 0, text: expect.stringContaining("upgraded") });
    expect([machine.read("opt/elbro/elbro.cjs"), machine.read("etc/elbro/elbro.yaml")]).toEqual(["2", "# mine"]);
    expect(machine.has("opt/elbro/left.cjs")).toBe(false);
  });

  test("the removal keeps configuration and data, and says where they are", () => {
    using machine = new Machine("v24.9.0");
    machine.install();
    expect(machine.install("remove").text).toContain("/etc/elbro");
    expect(
      ["opt/elbro", "etc/systemd/system/elbro.service", "usr/local/bin/elbro"].map((name) => machine.has(name)),
    ).toEqual([false, false, false]);
    expect(machine.has("etc/elbro/elbro.yaml")).toBe(true);
  });

  test("a Node that is missing or too old is refused before anything is written", () => {
    for (const version of [null, "v18.19.0", "v24.4.1", "v25.2.0"]) {
      using machine = new Machine(version);
      const { status, text } = machine.install();
      expect([status, text]).toEqual([
        1,
        expect.stringMatching(version === null ? /missing/ : new RegExp(`${version}; elbro needs version 24.5`)),
      ]);
      expect(machine.has("opt/elbro")).toBe(false);
    }
  });

  test.skipIf(!canVerify)("the unit is valid for systemd, with the Node that was found", () => {
    using machine = new Machine(null);
    machine.writeNode("usr/local/bin/node", "v24.9.0");
    machine.install();
    // The units of systemd itself, which every unit depends on.
    cpSync("/usr/lib/systemd/system", path.join(machine.root, "usr/lib/systemd/system"), { recursive: true });
    const unit = path.join(machine.root, "etc/systemd/system/elbro.service");
    expect(readFileSync(unit, "utf8")).toContain("ExecStart=/usr/local/bin/node ");
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--root", machine.root, "elbro.service"], {
      encoding: "utf8",
    });
    expect([status, stderr.split("\n").filter((line) => line.includes("elbro"))]).toEqual([0, []]);
  });
});
