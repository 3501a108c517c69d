/** Prices in the lists of other programs by instant, read as their documentation describes the lists. */

type Json = Readonly<Record<string, unknown>>;
type Rows = readonly Json[];

/** Returns the price by start in milliseconds. `name` is the format's; for EMHASS, the export prices. */
export function listedPrices(name: string, body: unknown): Map<number, number> {
  const json = body as Json;
  const rows = (list: unknown, start: string, value: string) =>
    ((list ?? []) as Rows).map((row) => [Date.parse(String(row[start])), Number(row[value])] as const);
  switch (name) {
    case "evcc":
      return new Map(rows(body, "start", "value"));
    case "emhass":
      return new Map(
        Object.entries((json.prod_price_forecast ?? {}) as Json).map(([at, price]) => [
          Date.parse(at.replace(" ", "T")),
          Number(price),
        ]),
      );
    case "energidataservice":
      return new Map([json.raw_today, json.raw_tomorrow, json.forecast].flatMap((list) => rows(list, "hour", "price")));
    case "powersaver":
      return new Map([json.today, json.tomorrow].flatMap((list) => rows(list, "start", "value")));
    default:
      return new Map([json.raw_today, json.raw_tomorrow].flatMap((list) => rows(list, "start", "value")));
  }
}
