import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { TempDir } from "../support/temp-dir.ts";

const DIST = path.resolve(import.meta.dirname, "../../dist");

/** Runs a short command of the built program, with its compiled code in `cache`. */
function version(cache: TempDir, dist = DIST): string {
  const env = { NODE_COMPILE_CACHE: cache.path };
  return execFileSync(process.execPath, [path.join(dist, "elbro.cjs"), "version"], { env, encoding: "utf8" });
}

/** The file with the program's compiled code: in the folder that Node makes for this version and these flags. */
function keptIn(cache: TempDir): string {
  const [folder = ""] = readdirSync(cache.path);
  return path.join(cache.path, folder, "elbro");
}

describe("the compiled code of the program", () => {
  test("is kept once, and used from then on", () => {
    using cache = new TempDir();
    const said = version(cache);
    const { mtimeNs, size } = statSync(keptIn(cache), { bigint: true });
    expect(size).toBeGreaterThan(200_000n);
    expect(version(cache)).toBe(said);
    expect(statSync(keptIn(cache), { bigint: true }).mtimeNs).toBe(mtimeNs);
    expect(readdirSync(path.dirname(keptIn(cache))).filter((name) => name.startsWith("elbro"))).toEqual(["elbro"]);
  });

  test.each<[string, (code: Buffer) => Uint8Array]>([
    ["cut off", (code) => code.subarray(0, code.length / 2)],
    ["empty", () => new Uint8Array()],
    ["with one wrong byte", (code) => code.fill((code[100_000] ?? 0) ^ 1, 100_000, 100_001)],
  ])("is made anew when it is found %s", (_, damaged) => {
    using cache = new TempDir();
    const said = version(cache);
    const bytes = damaged(readFileSync(keptIn(cache)));
    writeFileSync(keptIn(cache), bytes);
    expect(version(cache)).toBe(said);
    expect(readFileSync(keptIn(cache)).equals(bytes)).toBe(false);
    expect(statSync(keptIn(cache)).size).toBeGreaterThan(200_000);
  });

  test("is made anew for another program, even one of the same length", () => {
    using cache = new TempDir();
    using other = new TempDir();
    cpSync(DIST, other.path, { recursive: true });
    const launcher = readFileSync(other.file("elbro.cjs"), "utf8");
    writeFileSync(other.file("elbro.cjs"), launcher.replace(/[0-9a-f]{64}/, "0".repeat(64)));
    version(cache);
    const first = statSync(keptIn(cache), { bigint: true }).mtimeNs;
    version(cache, other.path);
    expect(statSync(keptIn(cache), { bigint: true }).mtimeNs).toBeGreaterThan(first);
  });

  test("is done without where it cannot be written", () => {
    using cache = new TempDir();
    const said = version(cache);
    using full = new TempDir();
    const folder = path.join(full.path, readdirSync(cache.path)[0] ?? "");
    mkdirSync(path.join(folder, "elbro"), { recursive: true });
    expect(version(full)).toBe(said);
    expect(readdirSync(folder).filter((name) => name.startsWith("elbro"))).toEqual(["elbro"]);
  });
});
