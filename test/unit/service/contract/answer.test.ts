import { describe, expect, test } from "vitest";
import { type AnswerReading, readAnswer } from "../../../../src/service/contract/answer.ts";
import { type OperationId, operationIds, operationOf } from "../../../../src/service/contract/operations.ts";
import { answers, breakages, broken } from "../../../fixtures/answers.ts";

/** Runs the reading to its end and counts how often it let others run. */
function readWhole<Id extends OperationId>(id: Id, json: unknown): { reading: AnswerReading<Id>; pauses: number } {
  const slices = readAnswer(id, json);
  for (let pauses = 0; ; pauses++) {
    const slice = slices.next();
    if (slice.done) return { reading: slice.value, pauses };
  }
}

const read = (id: OperationId, json: unknown) => readWhole(id, json).reading;

describe.each(operationIds)("%s", (id) => {
  test("the answer of the document's field tables is read as it is", () => {
    const answer = answers[id];
    const reading = read(id, answer);
    expect(reading).toEqual({ kind: "body", body: answer });
    if (reading.kind === "body") expect(reading.body).toBe(answer);
  });

  test.each(breakages[id])("broken at $at: $why", (breakage) => {
    expect(read(id, broken(answers[id], breakage))).toEqual({ kind: "malformed", why: breakage.why });
  });

  test.each([null, "text", 7, true])("%o instead of an answer is malformed, not a crash", (json) => {
    expect(read(id, json).kind).toBe("malformed");
  });
});

test.each(operationIds.filter((id) => operationOf(id).response.shape !== "document"))(
  "%s without rows is valid",
  (id) => {
    const empty = operationOf(id).response.shape === "list" ? [] : { ...answers[id], data: [] };
    expect(read(id, empty)).toEqual({ kind: "body", body: empty });
  },
);

describe("what the contract does not know", () => {
  test("is kept in rows, envelopes and nested objects", () => {
    const prices = structuredClone(answers.prices);
    const answer = { ...prices, more: { a: [1] }, data: [{ ...prices.data[0], green: true }] };
    expect(read("prices", answer)).toEqual({ kind: "body", body: answer });
    const [home] = answers.addresses.data;
    const address = { ...home, capabilities: { ...home.capabilities, heating: false } };
    expect(read("addresses", { data: [address] })).toEqual({ kind: "body", body: { data: [address] } });
  });

  test("another form of a charge's price is kept", () => {
    const entry = { ...answers.chargesHistory.tariffs[0], price: { hourly: [0.1, 0.2] } };
    const answer = { ...answers.chargesHistory, tariffs: [entry] };
    expect(read("chargesHistory", answer)).toEqual({ kind: "body", body: answer });
  });

  test.each([null, 0.5, { from: "x", amount: 1 }])("variableChargesPerKWh may be %o", (variableChargesPerKWh) => {
    const answer = { ...answers.prices, data: [{ ...answers.prices.data[0], variableChargesPerKWh }] };
    expect(read("prices", answer).kind).toBe("body");
  });

  test("the consumption envelope is not shown, so rows alone are enough", () => {
    expect(read("consumption", { data: answers.consumption.data }).kind).toBe("body");
  });
});

test.each([
  ["2026-10-25", true],
  ["2026-10", true],
  ["2026-10-25T00:00:00+02:00", true],
  ["2026-10-25T00:00Z", true],
  ["2026-13-01", false],
  ["October 25, 2026", false],
  ["1", false],
  ["", false],
])("a third-party date %o: %o", (date, fits) => {
  expect(read("requestCounts", [{ date, requestCount: 1 }]).kind).toBe(fits ? "body" : "malformed");
});

describe("slices", () => {
  const rows = (count: number) => Array.from({ length: count }, () => answers.prices.data[0]);

  test.each([
    [0, 0],
    [499, 0],
    [500, 1],
    [8_784, 17],
    [35_136, 70],
  ])("%i rows pause %i times", (count, pauses) => {
    expect(readWhole("prices", { ...answers.prices, data: rows(count) }).pauses).toBe(pauses);
  });

  test("a bad row after the first slice is named by its place", () => {
    const data = [...rows(1_200), { ...answers.prices.data[0], end: 5 }];
    expect(readWhole("prices", { ...answers.prices, data })).toEqual({
      reading: { kind: "malformed", why: "row 1200: end: expected string" },
      pauses: 2,
    });
  });
});
