import { expect, test } from "vitest";
import { LogMemory } from "../../../src/core/runtime/log-memory.ts";
import { logReader } from "../../../src/dashboard/system/log-reader.ts";

const ignored = () => undefined;

/** A daemon that started at `startedAt` and has written `texts` since. */
function daemon(startedAt: number, ...texts: string[]) {
  const memory = new LogMemory(() => startedAt);
  const log = memory.recording({ debug: ignored, info: ignored, warn: ignored });
  for (const text of texts) log.info({}, text);
  return { memory, log };
}

test.each([
  ["fewer lines than before", ["start"]],
  ["more lines than before", ["start", "prices changed", "plug switched", "connected"]],
])("after a restart of the daemon with %s, no line is lost", async (_, texts) => {
  let running = daemon(1_000, "start", "prices changed");
  const next = logReader(async (after) => ({
    started: String(running.memory.startedAt),
    lines: running.memory.list("info", after, 500).map(({ at, ...line }) => ({ ...line, time: String(at) })),
  }));
  const shown = async () => (await next()).map(({ text }) => text);
  expect(await shown()).toEqual(["start", "prices changed"]);
  running.log.info({}, "connected");
  expect(await shown()).toEqual(["start", "prices changed", "connected"]);
  running = daemon(2_000, ...texts);
  expect(await shown()).toEqual(texts);
  running.log.info({}, "last");
  expect(await shown()).toEqual([...texts, "last"]);
});
