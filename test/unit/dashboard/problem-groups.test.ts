import { expect, test } from "vitest";
import { groupedProblems } from "../../../src/dashboard/problems/problem-groups.ts";
import { remedyOf } from "../../../src/dashboard/problems/remedy.ts";

const problem = (code: string, subject: string) => ({
  ...{ code, subject, home: null, advice: code, detail: "" },
  ...{ since: "2026-03-10T14:00:00Z", ended_at: null, request_id: null },
});

test("problems of one code are one group, in the order of the first of each", () => {
  const problems = [problem("plug_silent", "a"), problem("invalid_token", "b"), problem("plug_silent", "c")];
  expect(groupedProblems(problems).map(({ first, count }) => [first.code, first.subject, count])).toEqual([
    ["plug_silent", "a", 2],
    ["invalid_token", "b", 1],
  ]);
  expect(groupedProblems([])).toEqual([]);
});

test.each([
  ["plug_silent", "plug heater", "#plans/plug-heater", { plug: "heater" }],
  ["plug_refuses", "access to plug heater", "#plans/plug-heater", { plug: "heater" }],
  ["invalid_token", "consumer", "#system/setting-service", { connection: "service" }],
  ["broker_unreachable", "mqtt", "#system/setting-mqtt", { connection: "mqtt" }],
  ["notifications_failed", "notify", "#system/setting-notify", {}],
  ["disk_full", "data", "#system/problems", undefined],
] as const)("%s of %s leads to %s", (code, subject, address, trial) => {
  const found = remedyOf(problem(code, subject));
  expect(found.address).toBe(address);
  expect(found.trial?.params).toEqual(trial);
});
