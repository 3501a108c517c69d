import { describe, expect, test } from "vitest";
import { type AnswerReading, readAnswer } from "../../../../src/service/contract/answer.ts";
import { type OperationId, operationIds, operationOf } from "../../../../src/service/contract/operations.ts";
import { answers, breakages, broken } from "../../../fixtures/answers.ts";

/** Reads a response and counts its pauses. */
async function readWhole<Id extends OperationId>(
  id: Id,
  json: unknown,
): Promise<{ reading: AnswerReading<Id>; pauses: number }> {
  let pauses = 0;
  const reading = await readAnswer(id, json, async () => ++pauses);
  return { reading, pauses };
}

const read = async (id: OperationId, json: unknown) => (await readWhole(id, json)).reading;

describe.each(operationIds)("%s", (id) => {
  test("reads the response of the document's field tables unchanged", async () => {
    const answer = answers[id];
    const reading = await read(id, answer);
    expect(reading).toEqual({ kind: "body", body: answer });
    if (reading.kind === "body") expect(reading.body).toBe(answer);
  });

  test.each(breakages[id])("with a defect at $at: $why", async (breakage) => {
    expect(await read(id, broken(answers[id], breakage))).toEqual({ kind: "malformed", why: breakage.why });
  });

  test.each([null, "text", 7, true])("%o instead of a response is malformed", async (json) => {
    expect((await read(id, json)).kind).toBe("malformed");
  });
});

test.each(operationIds.filter((id) => operationOf(id).response.shape !== "document"))(
  "%s without rows is valid",
  async (id) => {
    const empty = operationOf(id).response.shape === "list" ? [] : { ...answers[id], data: [] };
    expect(await read(id, empty)).toEqual({ kind: "body", body: empty });
  },
);

describe("unknown data", () => {
  test("is kept in rows, envelopes and nested objects", async () => {
    const prices = structuredClone(answers.prices);
    const answer = { ...prices, more: { a: [1] }, data: [{ ...prices.data[0], green: true }] };
    expect(await read("prices", answer)).toEqual({ kind: "body", body: answer });
    const [home] = answers.addresses.data;
    const address = { ...home, capabilities: { ...home.capabilities, heating: false } };
    expect(await read("addresses", { data: [address] })).toEqual({ kind: "body", body: { data: [address] } });
  });

  test("is kept in the price of a charge", async () => {
    const entry = { ...answers.chargesHistory.tariffs[0], price: { hourly: [0.1, 0.2] } };
    const answer = { ...answers.chargesHistory, tariffs: [entry] };
    expect(await read("chargesHistory", answer)).toEqual({ kind: "body", body: answer });
  });

  test.each([null, 0.5, { from: "x", amount: 1 }])(
    "is accepted as variable charges: %o",
    async (variableChargesPerKWh) => {
      const answer = { ...answers.prices, data: [{ ...answers.prices.data[0], variableChargesPerKWh }] };
      expect((await read("prices", answer)).kind).toBe("body");
    },
  );

  test("is not required: a consumption response may consist of rows only", async () => {
    expect((await read("consumption", { data: answers.consumption.data })).kind).toBe("body");
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
])("a third-party date %o: %o", async (date, fits) => {
  expect((await read("requestCounts", [{ date, requestCount: 1 }])).kind).toBe(fits ? "body" : "malformed");
});

describe("reading in slices", () => {
  const rows = (count: number) => Array.from({ length: count }, () => answers.prices.data[0]);

  test.each([
    [0, 0],
    [499, 0],
    [500, 1],
    [8_784, 17],
    [35_136, 70],
  ])("of %i rows pauses %i times", async (count, pauses) => {
    expect((await readWhole("prices", { ...answers.prices, data: rows(count) })).pauses).toBe(pauses);
  });

  test("reports an invalid row after the first slice with its index", async () => {
    const data = [...rows(1_200), { ...answers.prices.data[0], end: 5 }];
    expect(await readWhole("prices", { ...answers.prices, data })).toEqual({
      reading: { kind: "malformed", why: "row 1200: end: expected string" },
      pauses: 2,
    });
  });
});
