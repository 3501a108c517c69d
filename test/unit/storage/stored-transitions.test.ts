import { expect, test } from "vitest";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";
import { transitionsIn } from "../../../src/storage/open-storage.ts";
import { TestMemory } from "../../support/storage/test-memory.ts";

test("stored transitions are used until Node has another time zone database", () => {
  const settings = new TestMemory();
  const at = Date.UTC(2025, 6, 1);
  serviceCalendar(transitionsIn(settings, "2025a")).startOf("day", at);
  const stored = transitionsIn(settings, "2025a").read(2025);
  expect(stored).toMatch(/^\d+:3600000,\d+:7200000,\d+:3600000$/);
  expect(transitionsIn(settings, "2025b").read(2025)).toBeNull();
});
