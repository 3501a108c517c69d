import { expect, test } from "vitest";
import { FaultScript, readFaultRules } from "../../../src/simulator/fault-rules.ts";

test.each([
  [{}, "the script: expected array"],
  [[{ operation: "*" }], "rule 1 fault: expected one fault kind"],
  [[{ operation: "weather", fault: "hang" }], "rule 1 operation: expected one of *, addresses"],
  [[{ operation: "*", fault: "hang", from: "noon" }], 'rule 1 from: "noon" is not an RFC 3339 date-time'],
  [[{ operation: "*", fault: "hang", times: 0 }], "rule 1 times: expected at least"],
  [[{ operation: "*", fault: "status" }], "rule 1 status: expected"],
  [[{ operation: "*", fault: "status", status: 700 }], "rule 1 status: expected at most 599"],
  [
    [{ operation: "*", fault: "status", status: 401, errorCode: "gone" }],
    "rule 1 errorCode: expected one of invalid_parameter",
  ],
  [[{ operation: "*", fault: "delay" }], "rule 1 delayMs: expected"],
  [
    [
      { operation: "*", fault: "empty" },
      { operation: "*", fault: "hang", colour: 1 },
    ],
    "rule 2: has the unknown fields colour",
  ],
])("%j is rejected with its rule and the expected value", (script, expected) => {
  const reading = readFaultRules(script);
  expect(reading.kind === "unreadable" && reading.problems[0]).toContain(expected);
});

test("a request gets every delay and the first other matching fault, each as often as its rule says", () => {
  const script = new FaultScript([
    { operation: "*", fault: "delay", delayMs: 1, times: 1 },
    { operation: "prices", fault: "empty", times: 1 },
    { operation: "*", fault: "hang" },
  ]);
  const strike = (operation: "prices" | "addresses") => script.strike(operation, 0).map(({ fault }) => fault);
  expect(strike("prices")).toEqual(["delay", "empty"]);
  expect(strike("prices")).toEqual(["hang"]);
  expect(strike("addresses")).toEqual(["hang"]);
  expect(script.state.map(({ struck }) => struck)).toEqual([1, 1, 2]);
});
