/** Compares the help of elbro and of every command that it lists with `test/golden/help.txt`. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { VERSION } from "../../../src/core/status/version.ts";
import { expectGolden, IS_UPDATE, writeGolden } from "../../support/golden/golden-files.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../../dist/elbro.cjs");

function outputOf(...args: string[]): string {
  return execFileSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
}

test("help.txt is unchanged", () => {
  const general = outputOf("--help");
  const commands = [...general.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name = ""]) => name);
  const texts = commands.map((name) => [`elbro ${name}`, outputOf(name, "--help")] as const);
  const all = [["elbro", general] as const, ...texts].map(([name, text]) => `$ ${name} --help\n${text}`).join("\n");
  if (IS_UPDATE) writeGolden("help.txt", all);
  expectGolden("help.txt", all, "flow/cli/help");
});

test("-h, help and help COMMAND print the same as --help, and -v the version", () => {
  expect([outputOf("-h"), outputOf("help")]).toEqual([outputOf("--help"), outputOf("--help")]);
  expect(outputOf("help", "keys")).toBe(outputOf("keys", "--help"));
  expect(outputOf("-v")).toContain(VERSION);
});
