import { expect, test } from "vitest";
import { groupedProblems, placeOf } from "../../../src/dashboard/problems/problem-groups.ts";

const problem = (code: string, subject: string) => ({
  ...{ code, subject, advice: code, detail: "", since: "2026-03-10T14:00:00Z", ended_at: null, request_id: null },
});

test("problems of one code are one group, in the order of the first of each", () => {
  const problems = [problem("plug_silent", "a"), problem("invalid_token", "b"), problem("plug_silent", "c")];
  expect(groupedProblems(problems).map(({ first, count }) => [first.code, first.subject, count])).toEqual([
    ["plug_silent", "a", 2],
    ["invalid_token", "b", 1],
  ]);
  expect(groupedProblems([])).toEqual([]);
});

test("a problem of a plug leads to the plugs, any other one to System", () => {
  expect(placeOf(problem("plug_silent", "a"))).toBe("#plugs");
  expect(placeOf(problem("disk_full", "a"))).toBe("#system/problems");
});
