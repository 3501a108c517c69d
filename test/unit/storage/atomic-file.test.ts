import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeWhole } from "../../../src/storage/atomic-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "elbro-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a failed write leaves no draft behind", () => {
  const file = path.join(folder, "keys.json");
  // A draft cannot be renamed to a folder.
  mkdirSync(file);
  expect(() => writeWhole(file, "{}")).toThrow();
  expect(readdirSync(folder)).toEqual(["keys.json"]);
});

test("a write replaces the draft of a process that died, whatever its mode", () => {
  const file = path.join(folder, "keys.json");
  writeFileSync(file, "{}", { mode: 0o600 });
  writeFileSync(`${file}.new`, "half a fi", { mode: 0o444 });
  writeWhole(file, '{"a":1}');
  expect(readFileSync(file, "utf8")).toBe('{"a":1}');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["keys.json"]);
});
