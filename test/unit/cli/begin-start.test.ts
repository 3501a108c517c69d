import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { beginStart } from "../../../src/cli/begin-start.ts";
import { ConfigurationFiles } from "../../../src/config/editing/configuration-files.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import { writeWhole } from "../../../src/storage/atomic-file.ts";
import { ManualClock } from "../../support/clock/manual-clock.ts";
import { CallCounts } from "../../support/runner/call-counts.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const START = Date.parse("2026-03-10T09:00:00Z");
const log = { warn: () => undefined };

/** Plays starts of a daemon in one data directory. A start without an end was killed. */
function plays() {
  const dir = new TempDir();
  const clock = new ManualClock(START, "manual", undefined, 1);
  const files = new ConfigurationFiles(null, dir.path, writeWhole);
  const begin = async () => {
    const record = await beginStart(dir.path, clock, log);
    if (!record) throw new Error("no record");
    return record;
  };
  /** A start that is killed after some minutes. */
  const killedAfter = async (minutes: number, meanwhile: () => void = () => undefined) => {
    const record = await begin();
    const killed = new AbortController();
    const watching = record.watch(killed.signal);
    await clock.runUntil(clock.now() + MINUTE_MS);
    meanwhile();
    await clock.runUntil(clock.now() + (minutes - 1) * MINUTE_MS);
    killed.abort();
    await watching;
    return record;
  };
  const change = (text: string) => () => void files.writeOverlay(text, page(), clock.now());
  const page = () => readFileSync(files.overlayPath, "utf8");
  writeWhole(files.overlayPath, "first");
  return { begin, killedAfter, change, page, files, [Symbol.dispose]: () => dir[Symbol.dispose]() };
}

test("after two starts that ended abnormally the last change of the page is undone, and kept in its history", async () => {
  using played = plays();
  await played.killedAfter(3, played.change("second"));
  await played.killedAfter(3);
  expect(played.page()).toBe("second");
  const { aside } = await played.begin();
  expect([aside?.upload, played.page()]).toEqual([null, "first"]);
  expect(played.files.states().find(({ id }) => id === aside?.page)?.text).toBe("second");
});

test("what is set aside stays so until it is released, and a later change is set aside too", async () => {
  using played = plays();
  await played.killedAfter(3, played.change("second"));
  await played.killedAfter(3);
  const first = await played.killedAfter(30);
  const later = await played.begin();
  expect(later.aside).toEqual(first.aside);
  later.released();
  expect(later.aside).toBe(null);
  await played.killedAfter(3, played.change("third"));
  await played.begin();
  expect(played.page()).toBe("first");
});

test("two power cuts set no change aside that ran for ten minutes, in the same start or an earlier one", async () => {
  using played = plays();
  await played.killedAfter(60, played.change("second"));
  await played.killedAfter(3);
  await played.killedAfter(3);
  const { aside } = await played.begin();
  expect([aside?.page, played.page()]).toEqual([null, "second"]);
});

test("starts that end as they should, or after ten minutes, are not counted", async () => {
  using played = plays();
  for (const ends of ["killed", "ended", "killed", "late", "killed"]) {
    const record = await played.killedAfter(ends === "late" ? 11 : 3, played.change(ends));
    if (ends === "ended") record.ended();
    expect(record.aside).toBe(null);
  }
  expect((await played.begin()).aside).toBe(null);
});

test("a start and an end wait for the disk only if something is set aside", async () => {
  using played = plays();
  const start = await played.begin();
  await using counts = await CallCounts.start({ waits: { file: "storage/atomic-file.ts", functions: ["sync"] } });
  (await played.begin()).ended();
  expect(await counts.take()).toEqual({ waits: 0 });
  start.setAside({ page: "1", upload: null });
  start.released();
  expect(await counts.take()).toEqual({ waits: 2 });
});
