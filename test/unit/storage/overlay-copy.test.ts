import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { overlayFilesIn, replaceFiles, takeFiles, writeFiles } from "../../../src/storage/recovery/overlay-copy.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";
import { StoreOnDisk } from "../../support/storage/store-on-disk.ts";

/** Returns the files of a copy, which it then lacks. */
function filesIn(copyPath: string) {
  const database = new DatabaseSync(copyPath);
  try {
    return takeFiles(database);
  } finally {
    database.close();
  }
}

const STATES = "configuration-backups";
const page = { name: "page.yaml", text: "plans: []" };
/** Returns a previous state of the page's file, with a name as the daemon writes it. */
const state = (i: number) => ({
  name: `${STATES}/${String(i).padStart(6, "0")}-2026-03-10T09-00-00Z-page.yaml`,
  text: `${i}`,
});

test("the page's file and its states are copied, at most 50 files, and nothing else", () => {
  using dir = new TempDir();
  expect(overlayFilesIn(dir.path)).toEqual([]);
  mkdirSync(dir.file(STATES));
  const states = Array.from({ length: 60 }, (_, i) => state(i));
  for (const { name, text } of states.toReversed()) writeFileSync(dir.file(name), text);
  for (const name of ["elbro.yaml", `${STATES}/notes.txt`]) writeFileSync(dir.file(name), "secret");
  expect(overlayFilesIn(dir.path)).toEqual([]);
  writeFileSync(dir.file(page.name), page.text);
  expect(overlayFilesIn(dir.path)).toEqual([page, ...states.slice(0, 49)]);
});

test("files of a copy are written for their user only, and a database that is in use has none", () => {
  using dir = new TempDir();
  using store = new StoreOnDisk();
  store.database.close();
  const files = [page, state(1)];
  replaceFiles(store.path, files);
  const database = store.reopen();
  expect([takeFiles(database), takeFiles(database)]).toEqual([files, []]);
  writeFiles(dir.path, files);
  expect(overlayFilesIn(dir.path)).toEqual(files);
  for (const name of [page.name, state(1).name]) expect(statSync(dir.file(name)).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir.file(STATES))).toHaveLength(1);
});

test("what was overwritten cannot be read from the copy any more", () => {
  using store = new StoreOnDisk();
  store.database.close();
  replaceFiles(store.path, [{ ...page, text: "canary ".repeat(2_000) }]);
  replaceFiles(store.path, [page]);
  expect(filesIn(store.path)).toEqual([page]);
  const left = ["", "-wal"].filter((ending) => existsSync(store.path + ending));
  for (const ending of left) expect(readFileSync(store.path + ending).includes("canary")).toBe(false);
});

test.each([
  ["{", []],
  ["null", []],
  ["{}", []],
  [JSON.stringify([null, page, { name: "../page.yaml", text: "" }, { name: "elbro.yaml", text: "" }]), [page]],
  [
    JSON.stringify([{ name: 1, text: "" }, { ...page, text: 1 }, state(1), { name: `${STATES}/1-page.yaml` }]),
    [state(1)],
  ],
  [JSON.stringify(Array.from({ length: 51 }, () => page)), Array.from({ length: 50 }, () => page)],
])("of the files %s in a copy from elsewhere only those of the page count", (text, expected) => {
  using store = new StoreOnDisk();
  new KeyValueStore(store.database).write("page.yaml", text);
  store.database.close();
  expect(filesIn(store.path)).toEqual(expected);
});
