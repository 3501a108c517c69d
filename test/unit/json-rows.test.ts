import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonRows, parseAnswer } from "../../src/contract/json-rows.ts";

/** An answer long enough to be read in pieces. */
function rowsOf(count: number, note: unknown = null): object[] {
  const start = "2026-01-01T00:00:00Z";
  return Array.from({ length: count }, (_, i) => ({ start, end: start, totalPricePerKWh: i / 1_000, note }));
}

/** What came of a text, its rows as an array. */
function whole(json: unknown): unknown {
  const { data, ...rest } = json as { data: unknown };
  return { ...rest, data: data instanceof JsonRows ? [...data] : data };
}

const parse = (text: string) => parseAnswer(Buffer.from(text));
const isInPieces = (text: string) => (parse(text) as { data: unknown }).data instanceof JsonRows;

describe("a long answer", () => {
  const answer = { addressId: "3f2504e0", data: rowsOf(2_000), currency: "DKK" };
  const text = JSON.stringify(answer);

  test("has its rows in pieces, in their order, as often as they are walked through", () => {
    const { data, ...rest } = parse(text) as { data: JsonRows };
    expect(rest).toEqual({ addressId: "3f2504e0", currency: "DKK" });
    expect(data).toBeInstanceOf(JsonRows);
    expect(data.length).toBe(2_000);
    for (let walk = 0; walk < 2; walk++) expect([...data]).toEqual(answer.data);
  });

  test("gives its memory back when it is told to, and is never read wrong after that", () => {
    const json = Buffer.from(text);
    const { data } = parseAnswer(json) as { data: JsonRows };
    data.release();
    expect(json.buffer.byteLength).toBe(0);
    expect(() => [...data]).toThrow("given back");
  });

  test("makes its rows anew, so that those before can go", () => {
    const { data } = parse(text) as { data: JsonRows };
    const [first] = data;
    const [again] = data;
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
  });

  test("is what JSON says, whatever its rows hold and whatever stands around them", () => {
    const note = fc.oneof(fc.constantFrom("},{", '"data":[', "]}", '\\"},{', "Ærø 🏠"), fc.json(), fc.jsonValue());
    const around = fc.dictionary(fc.constantFrom("a", "b", "__proto__", "data "), note);
    fc.assert(
      fc.property(around, note, around, fc.integer({ min: 1_000, max: 1_500 }), (before, inside, after, count) => {
        const long = JSON.stringify({ ...before, data: rowsOf(count, inside), more: after });
        expect(whole(parse(long))).toEqual(whole(JSON.parse(long)));
      }),
      { numRuns: 100 },
    );
  });

  const rows = JSON.stringify(rowsOf(1_500));
  test.each([
    ["the rows of something else, after an array of its own", `{"data": [],"more":{"data":${rows}}}`],
    ["the rows of something else, after a row of its own", `{"data": [{}],"more":{"data":${rows}}}`],
    ["the rows of something else, before an array of its own", `{"more":{"data":${rows}},"data":[]}`],
    ["data twice", `{"data":${rows},"data":[{}]}`],
    ["data that is nothing", `{"data":${rows},"data":null}`],
    ["spaces between its rows", `{"data":${rows.replaceAll("},{", "}, {")}}`],
    ["an array behind its rows", `{"data":${rows},"more":[1]}`],
    ["no object around its rows", `{"data":[${rows},${rows}]}`],
  ])("with %s is what JSON says", (_, odd) => {
    expect(whole(parse(odd))).toEqual(whole(JSON.parse(odd)));
  });

  test.each([
    ["that breaks off", text.slice(0, -20)],
    ["that breaks off in its rows", text.slice(0, 90_000)],
    ["with a row that breaks off", text.replace('"note":null},{', '"note":nul},{')],
    ["with a comma behind its rows", text.replace("}],", "},],")],
    ["with two commas between rows", text.replace("},{", "},,{")],
    ["with something behind it", `${text}x`],
  ])("%s is not JSON", (_, broken) => {
    expect(broken.length).toBeGreaterThan(80_000);
    expect(() => parse(broken)).toThrow(SyntaxError);
  });

  test("with more rows than a piece inside one text is read in one", () => {
    const odd = JSON.stringify({ data: [{ note: "},{".repeat(50_000) }, { note: 1 }] });
    expect(isInPieces(odd)).toBe(true);
    expect(whole(parse(odd))).toEqual(JSON.parse(odd));
  });
});

test("a short answer is an array", () => {
  expect(parse(JSON.stringify({ data: rowsOf(10) }))).toEqual({ data: rowsOf(10) });
});
