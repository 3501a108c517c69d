/**
 * `npm run release`: writes everything that a release consists of to `build/release`: the package for npm, the archive
 * for systemd, the bill of materials, the notes and the check sums. Two runs of one commit write the same bytes.
 * `npm run release -- cut 1.2.0` first gives the changes a version.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { addressesOf } from "./addresses.ts";
import { billOfMaterials } from "./bill-of-materials.ts";
import { cutVersion } from "./cut-version.ts";
import { writeHomeAssistantApp } from "./home-assistant-app.ts";
import { releaseNotes } from "./release-notes.ts";

const ROOT = path.join(import.meta.dirname, "..");
const OUT = path.join(ROOT, "build/release");
/** Modification time of all files in the archives, as in the packages of npm. */
const MTIME = "1985-10-26T08:15:00Z";

const [command, cut = ""] = process.argv.slice(2);
if (command === "cut") cutVersion(ROOT, cut, new Date().toISOString().slice(0, 10));
else writeRelease();

function writeRelease(): void {
  const { version } = JSON.parse(read("package.json"));
  const notes = releaseNotes(read("CHANGELOG.md"), version);
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  run("npm", ["run", "--silent", "build"]);
  run("npm", ["pack", "./dist", "--silent", "--pack-destination", OUT]);
  writeSystemdArchive(version);
  // The workflow publishes this folder, which Home Assistant then adds by its address.
  writeHomeAssistantApp(path.join(ROOT, "build/home-assistant"), addressesOf());
  write(`elbro-${version}.cdx.json`, billOfMaterials(version, read("dist/THIRD-PARTY-NOTICES.txt")));
  write("NOTES.md", notes);
  write("SHA256SUMS", sums());
  process.stdout.write(`${readdirSync(OUT).sort().join("\n")}\n`);
}

/** Writes the archive with program, unit and installation script. */
function writeSystemdArchive(version: string): void {
  const name = `elbro-${version}`;
  const folder = path.join(ROOT, "build", name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(path.join(ROOT, "dist"), path.join(folder, "program"), { recursive: true });
  for (const file of ["elbro.service", "elbro.example.yaml"])
    cpSync(path.join(ROOT, "config", file), path.join(folder, file));
  cpSync(path.join(ROOT, "release/install.sh"), path.join(folder, "install.sh"));
  const tar = path.join(OUT, `${name}-systemd.tar`);
  const fixed = [
    "--sort=name",
    `--mtime=${MTIME}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u+rwX,go+rX,go-w",
  ];
  run("tar", [...fixed, "-C", path.join(ROOT, "build"), "-cf", tar, name]);
  run("gzip", ["-n", "-9", tar]);
  rmSync(folder, { recursive: true });
}

function sums(): string {
  return readdirSync(OUT)
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(path.join(OUT, name)))
          .digest("hex")}  ${name}\n`,
    )
    .join("");
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, TZ: "UTC" },
  });
}

function read(name: string): string {
  return readFileSync(path.join(ROOT, name), "utf8");
}

function write(name: string, text: string): void {
  writeFileSync(path.join(OUT, name), text);
}
