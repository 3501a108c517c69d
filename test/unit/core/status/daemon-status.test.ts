import { expect, test } from "vitest";
import { problemReason, serviceStateOf } from "../../../../src/core/status/daemon-status.ts";
import { Problems } from "../../../../src/core/status/problem.ts";

const problems = new Problems(() => undefined);
for (const code of ["rate_limited", "quota_too_small"] as const)
  problems.start({ code, subject: code, since: 1, detail: "-" });
const [limited = null, small = null] = ["rate_limited", "quota_too_small"].map((subject) => problems.of(subject));

test("the state of an interface is that of its own problem, and otherwise whether it has answered", () => {
  expect([true, false].map((answered) => serviceStateOf(null, answered))).toEqual(["ok", "waiting"]);
  expect([true, false].map((answered) => serviceStateOf(limited, answered))).toEqual(["rate_limited", "rate_limited"]);
  expect([true, false].map((answered) => serviceStateOf(small, answered))).toEqual(["ok", "waiting"]);
});

test("the reason of problems is one sentence for each with its advice, and null without problems", () => {
  if (!limited || !small) throw new Error("no problems");
  expect(problemReason([])).toBeNull();
  expect(problemReason([limited])).toBe(`rate_limited: ${limited.advice}`);
  expect(problemReason([small, limited])).toBe(`quota_too_small: ${small.advice} rate_limited: ${limited.advice}`);
});
