import { expect, test } from "vitest";
import { message } from "../../../src/core/language/text.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { RefusedFiles } from "../../../src/state/accounts/refused-files.ts";

test("an account file that cannot be used is a problem until it is read, and another one for another mistake", () => {
  const changes: string[] = [];
  const problems = new Problems(({ subject, since }, state) => void changes.push(`${subject} ${since} ${state}`));
  const files = new RefusedFiles(problems);
  const [released, ahead] = ["2026", "2027"].map((time) => message("found.clock_released", { time }));
  if (!released || !ahead) throw new Error("no messages");
  files.report({ "a.yaml": released, "b.yaml": released }, 1);
  files.report({ "a.yaml": released, "b.yaml": ahead }, 2);
  files.report({ "a.yaml": released }, 3);
  expect(problems.list()).toMatchObject([
    { code: "account_refused", subject: "account file a.yaml", detail: expect.stringMatching(/^a\.yaml: .*2026/) },
  ]);
  files.report(undefined, 4);
  expect(changes).toEqual([
    "account file a.yaml 1 started",
    "account file b.yaml 1 started",
    "account file b.yaml 1 ended",
    "account file b.yaml 2 started",
    "account file b.yaml 2 ended",
    "account file a.yaml 1 ended",
  ]);
});
