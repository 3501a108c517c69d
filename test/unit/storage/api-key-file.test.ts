import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KeyFile } from "../../../src/storage/api-key-file.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const NOW = Date.parse("2026-03-10T09:00:00Z");

test("the lock of a command that ended long ago does not stop a change of the keys", async () => {
  using dir = new TempDir();
  const lock = dir.file("keys.lock");
  writeFileSync(lock, "");
  utimesSync(lock, (NOW - 11_000) / 1_000, (NOW - 11_000) / 1_000);
  const file = new KeyFile(dir.path);
  await file.change(
    (keys) => keys,
    () => NOW,
  );
  expect([file.read(), existsSync(lock)]).toEqual([{ kind: "keys", keys: [] }, false]);
});

test("the lock of a command that changes the keys now is awaited", async () => {
  using dir = new TempDir();
  const lock = dir.file("keys.lock");
  writeFileSync(lock, "");
  utimesSync(lock, (NOW - 9_000) / 1_000, (NOW - 9_000) / 1_000);
  let now = NOW;
  let tries = 0;
  await new KeyFile(dir.path).change(
    (keys) => keys,
    () => {
      tries++;
      now += 500;
      return now;
    },
  );
  expect(tries).toBe(3);
});
