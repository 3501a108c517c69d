import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeWhole, writeWholeSoon } from "../../../src/storage/atomic-file.ts";

const writers = {
  writeWhole: [writeWhole, "new"],
  writeWholeSoon: [writeWholeSoon, "soon"],
} as const;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "elbro-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each(Object.entries(writers))("%s", (_, [write, end]) => {
  test("leaves no draft behind when it fails", async () => {
    const file = path.join(folder, "keys.json");
    // A draft cannot be renamed to a folder.
    mkdirSync(file);
    await expect((async () => await write(file, "{}"))()).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["keys.json"]);
  });

  test("replaces the draft of a process that died, whatever its mode", async () => {
    const file = path.join(folder, "keys.json");
    writeFileSync(file, "{}", { mode: 0o600 });
    writeFileSync(`${file}.${end}`, "half a fi", { mode: 0o444 });
    await write(file, '{"a":1}');
    expect(readFileSync(file, "utf8")).toBe('{"a":1}');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["keys.json"]);
  });
});
