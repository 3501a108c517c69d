import { expect, test } from "vitest";
import { comingRuns, shiftAt } from "../../../src/dashboard/panel/panel-runs.ts";
import type { Plan } from "../../../src/dashboard/store/answers.ts";

const HOUR = 3_600_000;
const NOON = Date.parse("2026-03-10T12:00:00Z");

function planOf(name: string, ...hours: readonly [number, number][]): Plan {
  const at = (hour: number) => new Date(NOON + hour * HOUR).toISOString();
  return { name, runs: hours.map(([start, end]) => ({ start: at(start), end: at(end) })) } as unknown as Plan;
}

test("the panel shows the next three runs of all plans: the one that runs first, none that has ended", () => {
  const plans = [planOf("Car", [4, 6], [9, 10]), planOf("Boiler", [-2, -1], [-1, 1]), planOf("Dryer", [20, 22])];
  const shown = comingRuns(plans, NOON, 3).map(({ plan: { name }, start, end }) => [
    name,
    (start - NOON) / HOUR,
    (end - NOON) / HOUR,
  ]);
  expect(shown).toEqual([
    ["Boiler", -2, 1],
    ["Car", 4, 6],
    ["Car", 9, 10],
  ]);
  const likely = { ...planOf("Washer", [1, 2]), provisional: true };
  expect(comingRuns([likely], NOON, 3)).toEqual([]);
});

test("the panel moves by one pixel each minute, over a square of nine by nine, so that no edge stays", () => {
  const steps = Array.from({ length: 81 }, (_, minute) => shiftAt(NOON + minute * 60_000));
  expect(new Set(steps.map(String)).size).toBe(81);
  const moves = steps
    .slice(1)
    .map(([x, y], i) => Math.abs(x - (steps[i]?.[0] ?? 0)) + Math.abs(y - (steps[i]?.[1] ?? 0)));
  // Once, at the end of the square, it returns to the beginning.
  expect(moves.filter((move) => move !== 1).length).toBeLessThanOrEqual(1);
  expect(steps.flat().every((shift) => Math.abs(shift) <= 4)).toBe(true);
});
