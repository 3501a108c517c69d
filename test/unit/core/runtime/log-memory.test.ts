import fc from "fast-check";
import { expect, test } from "vitest";
import { type LogLevel, LogMemory, logLevels } from "../../../../src/core/runtime/log-memory.ts";

const MAX_LINES = 500;

function memory(level: string) {
  let now = 7;
  const written: string[] = [];
  const kept = new LogMemory(() => now++);
  const write = (of: LogLevel) => (facts: object, text: string) =>
    void written.push(`${of} ${text} ${JSON.stringify(facts)}`);
  const log = kept.recording({ level, debug: write("debug"), info: write("info"), warn: write("warn") });
  return { kept, log, written };
}

test("a log memory forwards every line and returns the last ones of a level after an id, as a linear search does", () => {
  const line = fc.record({ level: fc.constantFrom(...logLevels), text: fc.string({ maxLength: 3 }) });
  const query = fc.record({
    level: fc.constantFrom(...logLevels),
    after: fc.integer({ min: 0, max: 12 }),
    most: fc.integer({ min: 1, max: 12 }),
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), query, fc.boolean(), (lines, { level, after, most }, isDebug) => {
      const { kept, log, written } = memory(isDebug ? "debug" : "info");
      for (const each of lines) log[each.level]({}, each.text);
      expect(written).toEqual(lines.map((each) => `${each.level} ${each.text} {}`));
      const expected = lines
        .filter((each) => isDebug || each.level !== "debug")
        .map((each, i) => ({ ...each, id: i + 1, at: 8 + i, facts: "" }))
        .filter((each) => each.id > after && logLevels.indexOf(each.level) >= logLevels.indexOf(level));
      expect(kept.list(level, after, most)).toEqual(expected.slice(-most));
    }),
  );
});

test("a log memory keeps the last 500 lines, and 1,000 characters of the facts of each; an error is its message", () => {
  const { kept, log } = memory("info");
  const facts = [{ a: "x".repeat(992) }, { a: "x".repeat(993) }, { error: new TypeError("no") }];
  for (let i = facts.length; i < MAX_LINES; i++) log.info({}, String(i));
  for (const each of facts) log.info(each, "last");
  const all = () => kept.list("info", 0, 2 * MAX_LINES);
  expect([all().length, all()[0]?.id]).toEqual([MAX_LINES, 1]);
  expect(
    all()
      .slice(-facts.length)
      .map((line) => line.facts),
  ).toEqual([JSON.stringify(facts[0]), `${JSON.stringify(facts[1]).slice(0, 1_000)}…`, '{"error":"no"}']);
  log.info({}, "one more");
  expect([all().length, all()[0]?.id]).toEqual([MAX_LINES, 2]);
});
