import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUARTER_MS } from "../../../../src/core/time/interval.ts";
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
    expect(reading).toEqual({ kind: "body", body: answer, dropped: null });
    if (reading.kind === "body") expect(reading.body).toBe(answer);
  });

  test.each(breakages[id])("with a defect at $at: $why", async (breakage) => {
    const reading = await read(id, broken(answers[id], breakage));
    if (breakage.kept) expect(reading).toMatchObject({ kind: "body", dropped: { count: 1, why: breakage.why } });
    else expect(reading).toEqual({ kind: "malformed", why: breakage.why });
  });

  test.each([null, "text", 7, true])("%o instead of a response is malformed", async (json) => {
    expect((await read(id, json)).kind).toBe("malformed");
  });
});

test.each(operationIds.filter((id) => operationOf(id).response.shape !== "document"))(
  "%s without rows is valid",
  async (id) => {
    const empty = operationOf(id).response.shape === "list" ? [] : { ...answers[id], data: [] };
    expect(await read(id, empty)).toEqual({ kind: "body", body: empty, dropped: null });
  },
);

describe("unknown data", () => {
  test("unknown data is kept in rows, envelopes and nested objects", async () => {
    const prices = structuredClone(answers.prices);
    const answer = { ...prices, more: { a: [1] }, data: [{ ...prices.data[0], green: true }] };
    expect(await read("prices", answer)).toEqual({ kind: "body", body: answer, dropped: null });
    const [home] = answers.addresses.data;
    const address = { ...home, capabilities: { ...home.capabilities, heating: false } };
    expect(await read("addresses", { data: [address] })).toEqual({
      kind: "body",
      body: { data: [address] },
      dropped: null,
    });
  });

  test("unknown data is kept in the price of a charge", async () => {
    const entry = { ...answers.chargesHistory.tariffs[0], price: { hourly: [0.1, 0.2] } };
    const answer = { ...answers.chargesHistory, tariffs: [entry] };
    expect(await read("chargesHistory", answer)).toEqual({ kind: "body", body: answer, dropped: null });
  });

  test.each([null, 0.5, { from: "x", amount: 1 }])(
    "unknown data is accepted as variable charges: %o",
    async (variableChargesPerKWh) => {
      const answer = { ...answers.prices, data: [{ ...answers.prices.data[0], variableChargesPerKWh }] };
      expect((await read("prices", answer)).kind).toBe("body");
    },
  );

  test("unknown data is not required: a consumption response may consist of rows only", async () => {
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
  const rows = quarters;

  test.each([
    [0, 0],
    [499, 0],
    [500, 1],
    [8_784, 17],
    [35_136, 70],
  ])("of %i rows pauses %i times", async (count, pauses) => {
    expect((await readWhole("prices", { ...answers.prices, data: rows(count) })).pauses).toBe(pauses);
  });

  test("reading in slices reports an invalid row after the first slice with its index", async () => {
    const data = [...quarters(1_200), { ...answers.prices.data[0], end: 5 }];
    const { reading, pauses } = await readWhole("prices", { ...answers.prices, data });
    expect(reading).toMatchObject({ dropped: { count: 1, why: "row 1200: end: expected string" } });
    expect(pauses).toBe(2);
  });
});

const DAY = Date.parse("2026-10-23T22:00:00Z");

/** Returns rows of quarter-hours, with prices that differ. */
function quarters(count: number): { start: string; end: string; totalPricePerKWh: number }[] {
  return Array.from({ length: count }, (_, i) => ({
    start: new Date(DAY + i * QUARTER_MS).toISOString(),
    end: new Date(DAY + (i + 1) * QUARTER_MS).toISOString(),
    totalPricePerKWh: 1 + i / 1_000,
  }));
}

describe("one bad element costs itself only", () => {
  const whole = quarters(96);
  const [first = { start: "", end: "", totalPricePerKWh: 0 }] = whole;
  const at = (index: number, row: unknown) => whole.toSpliced(index, 1, row as never);
  const without = (...indexes: number[]) => whole.filter((_, i) => !indexes.includes(i));
  const readRows = async (data: readonly unknown[]) => {
    const reading = await read("prices", { ...answers.prices, data });
    if (reading.kind === "malformed") throw new Error(reading.why);
    return { rows: (reading.body as { data: unknown[] }).data, dropped: reading.dropped };
  };

  test.each([
    ["a price that is null", at(7, { ...whole[7], totalPricePerKWh: null }), without(7)],
    ["an empty object", at(7, {}), without(7)],
    ["a price as text", at(7, { ...whole[7], totalPricePerKWh: "1.2" }), without(7)],
    ["an end at the start", at(7, { ...whole[7], end: whole[7]?.start }), without(7)],
    ["a start twice with another price", [...whole, { ...whole[7], totalPricePerKWh: 9 }], without(7)],
    ["a row of the whole day", [{ ...first, end: whole[95]?.end, totalPricePerKWh: 9 }, ...whole], whole],
    ["a row that overlaps the next one", at(7, { ...whole[7], end: whole[8]?.end }), without(7)],
  ] as const)("%s", async (_, data, kept) => {
    const { rows, dropped } = await readRows(data);
    expect(rows).toEqual(kept);
    expect(dropped?.why).toMatch(/^row \d+: /);
  });

  test("an exact repetition contradicts nothing", async () => {
    expect(await readRows([...whole, whole[7]])).toEqual({ rows: [...whole, whole[7]], dropped: null });
  });

  test("one bad element costs itself only rows in another order are all read", async () => {
    expect((await readRows(whole.toReversed())).dropped).toBeNull();
  });

  test("an unknown color of a place becomes null, and its price stays", async () => {
    const [point] = answers.regionPrices;
    const reading = await read("regionPrices", [{ ...point, color: "blue" }]);
    expect(reading).toMatchObject({ kind: "body", body: [{ ...point, color: null }], dropped: { count: 1 } });
  });

  test("a missing flag of an address counts as false, and an unreadable address leaves the other", async () => {
    const [home] = answers.addresses.data;
    const { prices: _, ...flags } = home.capabilities;
    const reading = await read("addresses", {
      data: [
        { ...home, capabilities: flags },
        { ...home, label: 7 },
      ],
    });
    expect(reading).toMatchObject({
      body: { data: [{ ...home, capabilities: { ...flags, prices: false } }] },
      dropped: { count: 2, ids: [home.id] },
    });
  });

  test("a tariff that does not fit leaves the others", async () => {
    const { charges } = answers;
    const tariffs = [{ name: "x" }, ...charges.tariffs, { name: "y", price: "1" }];
    expect(await read("charges", { ...charges, tariffs })).toMatchObject({ body: charges, dropped: { count: 1 } });
  });

  test("any rows that the contract allows are read in any order, and what is kept neither overlaps nor repeats", async () => {
    const row = fc.record({ at: fc.nat(20), length: fc.integer({ min: -1, max: 3 }), price: fc.integer({ max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 12 }), async (given) => {
        const data = given.map(({ at: index, length, price }) => ({
          start: new Date(DAY + index * QUARTER_MS).toISOString(),
          end: new Date(DAY + (index + length) * QUARTER_MS).toISOString(),
          totalPricePerKWh: price,
        }));
        const reading = await read("prices", { ...answers.prices, data });
        if (reading.kind === "malformed") return;
        const kept = (reading.body as unknown as { data: typeof data }).data;
        const distinct = [...new Set(kept.map((each) => JSON.stringify(each)))].map((text) => JSON.parse(text));
        distinct.sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
        for (const [i, { start, end }] of distinct.entries()) {
          expect(Date.parse(end)).toBeGreaterThan(Date.parse(start));
          if (i > 0) expect(Date.parse(start)).toBeGreaterThanOrEqual(Date.parse(distinct[i - 1].end));
        }
        expect(kept.length + (reading.dropped?.count ?? 0)).toBe(data.length);
      }),
    );
  });
});
