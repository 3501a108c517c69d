/** `page.yaml` and its previous states in a copy of the database, so that one file is the whole backup. */
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { OVERLAY_FILE, OVERLAY_STATES } from "../../core/runtime/data-files.ts";
import { readJson } from "../../core/runtime/key-value.ts";
import { giveToOwnerOf, readWhole, writeWhole } from "../atomic-file.ts";
import { KeyValueStore } from "../key-value-store.ts";

const SETTING = OVERLAY_FILE;
/** A copy from elsewhere may name no other file. */
const NAME = /^(?:page\.yaml|configuration-backups\/\d{6,12}-[\w.-]{1,200}-page\.yaml)$/;
/** A file of the data directory, with its path in it. */
const copiedFile = z.object({ name: z.string().check(z.regex(NAME)), text: z.string() });
export type CopiedFile = Readonly<z.infer<typeof copiedFile>>;
/** Maximum files: the page's file and its states. */
const MAX_FILES = 50;

/** Returns the page's file and its states; empty without a page's file. */
export function overlayFilesIn(dataDir: string): CopiedFile[] {
  const states = path.join(dataDir, OVERLAY_STATES);
  const names = [OVERLAY_FILE, ...list(states).map((name) => `${OVERLAY_STATES}/${name}`)].filter((name) =>
    NAME.test(name),
  );
  const files = names.slice(0, MAX_FILES).flatMap((name) => {
    const text = readWhole(path.join(dataDir, name));
    return text === null ? [] : { name, text };
  });
  return files[0]?.name === OVERLAY_FILE ? files : [];
}

/** Replaces the files in a copy that no process has open. What was overwritten cannot be read from the copy any more. */
export function replaceFiles(copyPath: string, files: readonly CopiedFile[]): void {
  const database = new DatabaseSync(copyPath);
  try {
    write(database, files);
  } finally {
    database.close();
  }
}

/** Returns the files of a copy, and removes them from it: it becomes the database. */
export function takeFiles(database: DatabaseSync): CopiedFile[] {
  const files = read(database);
  if (files.length > 0) write(database, []);
  return files;
}

/** Writes the files of a copy into a data directory, readable only by its user. */
export function writeFiles(dataDir: string, files: readonly CopiedFile[]): void {
  const states = path.join(dataDir, OVERLAY_STATES);
  mkdirSync(states, { recursive: true, mode: 0o700 });
  giveToOwnerOf(dataDir, states);
  for (const { name, text } of files) writeWhole(path.join(dataDir, name), text);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // no folder, or not one of this user
  }
}

function write(database: DatabaseSync, files: readonly CopiedFile[]): void {
  database.exec("pragma secure_delete = on");
  new KeyValueStore(database).write(SETTING, JSON.stringify(files));
}

function read(database: DatabaseSync): CopiedFile[] {
  // Each entry is checked, because a copy from elsewhere may not be written by elbro.
  const files = readJson(new KeyValueStore(database), SETTING, z.array(z.unknown())) ?? [];
  return files.flatMap((file) => copiedFile.safeParse(file).data ?? []).slice(0, MAX_FILES);
}
