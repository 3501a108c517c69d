import { describe, expect, test } from "vitest";
import { csvText } from "../../../src/api/house/csv.ts";
import { serviceCalendar } from "../../../src/service/service-calendar.ts";

const calendar = serviceCalendar();
const plain = { decimal: "point", calendar } as const;

function linesOf(body: object, columns: string, decimal: "point" | "comma" = "point"): string[] {
  return csvText({ ...body }, { list: "rows", columns }, { decimal, calendar }).split("\r\n");
}

describe("CSV", () => {
  test("CSV has a first line with names and units, and ends every line with CR LF", () => {
    const body = { currency: "DKK", rows: [{ start: "2026-03-10T08:00:00Z", price: 1.25, rank: null }] };
    expect(csvText(body, { list: "rows", columns: "start:time price:{currency}/kWh rank" }, plain)).toBe(
      "start,price (DKK/kWh),rank\r\n2026-03-10T09:00:00+01:00,1.25,\r\n",
    );
  });

  test("CSV writes both hours of the clock change with their offsets", () => {
    const rows = [{ start: "2026-10-25T00:00:00Z" }, { start: "2026-10-25T01:00:00Z" }];
    expect(linesOf({ rows }, "start:time")).toEqual([
      "start",
      "2026-10-25T02:00:00+02:00",
      "2026-10-25T02:00:00+01:00",
      "",
    ]);
  });

  test("CSV quotes separators, quotes and line ends", () => {
    const rows = [{ name: 'Oven, "big"' }, { name: "two\nlines" }, { name: "a;b" }];
    expect(linesOf({ rows }, "name").slice(1, -1)).toEqual(['"Oven, ""big"""', '"two\nlines"', '"a;b"']);
  });

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])(
    "%j is escaped at the start of a text, but not of a negative number",
    (name) => {
      const [, line = ""] = csvText(
        { rows: [{ name, price: -0.5 }] },
        { list: "rows", columns: "name price" },
        plain,
      ).split("\r\n");
      expect(line.replace(/^"/, "").startsWith("'")).toBe(true);
      expect(line.endsWith(",-0.5")).toBe(true);
    },
  );

  test("with a decimal comma, has semicolons between columns and a byte order mark", () => {
    expect(linesOf({ rows: [{ price: -0.5, name: "Køkken, 1" }] }, "price name", "comma")).toEqual([
      "\uFEFFprice;name",
      '-0,5;"Køkken, 1"',
      "",
    ]);
  });

  test("CSV names the currency if all rows have the same one", () => {
    const columns = "cost:{currency}";
    expect(
      linesOf(
        {
          rows: [
            { currency: "SEK", cost: 1 },
            { currency: "SEK", cost: 2 },
          ],
        },
        columns,
      )[0],
    ).toBe("cost (SEK)");
    expect(
      linesOf(
        {
          rows: [
            { currency: "SEK", cost: 1 },
            { currency: "DKK", cost: 2 },
          ],
        },
        columns,
      )[0],
    ).toBe("cost (currency)");
    expect(linesOf({ rows: [] }, columns)).toEqual(["cost (currency)", ""]);
  });

  test("CSV reads nested properties, and writes lists in one cell", () => {
    const rows = [{ month: { runs: 3 }, plans: ["a", "b"] }, { plans: [] }];
    expect(linesOf({ rows }, "month.runs plans")).toEqual(["month_runs,plans", "3,a b", ",", ""]);
  });
});
