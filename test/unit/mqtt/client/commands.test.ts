import { expect, test } from "vitest";
import { type CommandResult, Commands, type CommandTable } from "../../../../src/mqtt/client/commands.ts";

const DONE: CommandResult = { kind: "done" };

function commandsOf(table: CommandTable) {
  const answers: { topic: string; payload: unknown }[] = [];
  const refusals: string[] = [];
  const commands = new Commands({
    baseTopic: "elbro",
    table,
    answer: (topic, payload) => answers.push({ topic, payload: JSON.parse(payload) }),
    onRefused: (topic, reason) => refusals.push(`${topic}: ${reason}`),
  });
  const take = (topic: string, payload: string, retained = false) => commands.take({ topic, payload, retained });
  return { commands, answers, refusals, take };
}

test("a command is executed with the levels of its topic and gets a response", async () => {
  const done: unknown[] = [];
  const { take, answers, refusals } = commandsOf({
    "+/plan/+/+/set": (levels, payload) => {
      done.push([levels, payload]);
      return DONE;
    },
  });
  expect(await take("elbro/home/plan/washer/hours/set", "3")).toBe(true);
  expect(done).toEqual([[["home", "washer", "hours"], "3"]]);
  expect(answers).toEqual([
    { topic: "elbro/response", payload: { topic: "elbro/home/plan/washer/hours/set", ok: true, reason: null } },
  ]);
  expect(refusals).toEqual([]);
});

test("a retained command is not executed", async () => {
  let count = 0;
  const { take, answers } = commandsOf({
    "command/refresh": () => {
      count++;
      return DONE;
    },
  });
  expect(await take("elbro/command/refresh", "", true)).toBe(true);
  expect([count, answers]).toEqual([0, []]);
});

test("a payload of more than 1,024 characters is rejected", async () => {
  const { take, answers } = commandsOf({ "command/refresh": () => DONE });
  await take("elbro/command/refresh", "x".repeat(1_025));
  expect(answers[0]?.payload).toMatchObject({ ok: false, reason: expect.stringContaining("1025 characters") });
});

test("other topics are not commands", async () => {
  const { take, answers } = commandsOf({ "command/refresh": () => DONE, "+/plan/+/+/set": () => DONE });
  for (const topic of ["elbro/command", "elbro/command/refresh/now", "power/command/refresh", "elbro/home/plan/a/set"])
    expect(await take(topic, "")).toBe(false);
  expect(answers).toEqual([]);
});

test("the command table defines the subscriptions", () => {
  const { commands } = commandsOf({ "command/refresh": () => DONE, "+/plan/+/+/set": () => DONE });
  expect(commands.subscriptions()).toEqual(["elbro/command/refresh", "elbro/+/plan/+/+/set"]);
});
