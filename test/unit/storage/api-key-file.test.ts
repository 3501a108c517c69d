import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { message } from "../../../src/core/language/text.ts";
import { type KeptKey, KeyFile } from "../../../src/storage/api-key-file.ts";
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

test("the file of a newer elbro is neither read nor changed; one without a version is read and gets one", async () => {
  using dir = new TempDir();
  const file = new KeyFile(dir.path);
  file.write([]);
  const written = JSON.parse(readFileSync(dir.file("keys.json"), "utf8"));
  expect(written).toMatchObject({ version: 1, keys: [] });
  const { version: _version, ...before } = written;
  writeFileSync(dir.file("keys.json"), JSON.stringify(before));
  expect(file.read()).toEqual({ kind: "keys", keys: [] });
  const newer = JSON.stringify({ ...written, version: 2, keys: { hall: "in another form" } });
  writeFileSync(dir.file("keys.json"), newer);
  const why = "it was written by a newer elbro (version 2; this elbro knows 1)";
  expect(file.read()).toEqual({ kind: "unreadable", why: message("start.keys_newer", { version: 2, known: 1 }) });
  await expect(
    file.change(
      () => [],
      () => NOW,
    ),
  ).rejects.toThrow(why);
  expect(readFileSync(dir.file("keys.json"), "utf8")).toBe(newer);
});

test("a key with a wrong value makes the file unreadable, with its position", () => {
  using dir = new TempDir();
  const file = new KeyFile(dir.path);
  const good: KeptKey = { name: "a", kind: "bearer", scopes: ["read"], sha256: "ab".repeat(32), created: "2026-02-03" };
  file.write([good, { ...good, requests_per_day: 1 }]);
  expect(file.read()).toMatchObject({ kind: "keys", keys: [good, { requests_per_day: 1 }] });
  const wrongs: Partial<KeptKey>[] = [{ sha256: "ab" }, { requests_per_minute: 0 }, { requests_per_day: 0.5 }];
  for (const wrong of wrongs) {
    file.write([good, { ...good, ...wrong }]);
    expect(file.read()).toEqual({ kind: "unreadable", why: message("start.key_foreign", { index: 1 }) });
  }
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
