/** The service's zone, known to the built program: the same boundaries, and only where the time zone database is the same. */
import { describe, expect, test } from "vitest";
import configuration from "../../.rolldown.config.ts";
import { Calendar, SERVICE_ZONE } from "../../src/core/calendar.ts";
import { transitionsIn } from "../../src/data-dir.ts";
import type { KnownTransitions } from "../../src/known-transitions.ts";

/** What the build puts in place of the file that knows nothing. */
function builtTable(): KnownTransitions {
  const { plugins } = configuration as unknown as { plugins: readonly { load?: (id: string) => string | null }[] };
  const source = plugins.map((plugin) => plugin.load?.("/clone/src/known-transitions.ts")).find(Boolean) ?? "";
  const [, json = ""] = /^export const KNOWN_TRANSITIONS = (.*);$/.exec(source) ?? [];
  return JSON.parse(json);
}

const nothingKept = { read: () => null, write: () => undefined };

describe("what the build knows of the zone", () => {
  const known = builtTable();

  test("is what the time zone database of this Node says, day by day", () => {
    expect(known.tz).toBe(process.versions.tz);
    const range = { start: Date.UTC(2001, 0, 1), end: Date.UTC(2050, 0, 1) };
    // A zone that no database has: what comes can only come from the table.
    const byTable = new Calendar("Nowhere/Nothing", transitionsIn(nothingKept, known));
    expect(byTable.boundaries("day", range)).toEqual(new Calendar(SERVICE_ZONE).boundaries("day", range));
  });

  test("is not believed by a Node with another database", () => {
    const other = transitionsIn(nothingKept, { ...known, tz: "1970a" });
    expect(other.read(2025)).toBeNull();
  });

  test("comes before what is kept, which is for other years", () => {
    const kept = { read: (name: string) => `kept ${name.split("/").at(-1)}`, write: () => undefined };
    const memory = transitionsIn(kept, known);
    expect(memory.read(2025)).toMatch(/^\d+:3600000,\d+:7200000,\d+:3600000$/);
    expect(memory.read(1985)).toBe("kept 1985");
  });
});
