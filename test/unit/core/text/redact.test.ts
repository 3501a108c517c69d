import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact, revealsPlace } from "../../../../src/core/text/redact.ts";

const hidden = [
  { text: "Vesterbrogade 1", standIn: "address 1", kind: "name" },
  { text: "vesterbrogade_1", standIn: "home_1", kind: "name" },
  { text: "s3cret+/=", standIn: "(secret)", kind: "secret" },
] as const;

describe("redact", () => {
  test.each([
    ["at Vesterbrogade 1, 1620 København", "at address 1, 1620 København"],
    ["VESTERBROGADE 1", "address 1"],
    ["Vesterbrogade 12", "Vesterbrogade 12"],
    ["elbro/vesterbrogade_1/price", "elbro/home_1/price"],
    ["Bearer xs3cret+/=x", "Bearer x(secret)x"],
    ["5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01 is not known", "5d0c9f0e… is not known"],
    ["5D0C9F0E-6A1B-4C5E-9B64-1F1F4A7E2D01", "5D0C9F0E…"],
    ["locationPrices 56.162939 10.203921", "locationPrices 56.2 10.2"],
    ["at -12.34567", "at -12.3"],
    ["192.168.100.200 at 12:00:01.123 for 0.84", "192.168.100.200 at 12:00:01.123 for 0.84"],
  ])("redact changes %s to %s", (text, shown) => {
    expect(redact(text, hidden)).toBe(shown);
  });

  test("redact shortens coordinates that are numbers, and no other numbers", () => {
    expect(redact({ places: [{ latitude: 56.162939, longitude: 10.203921 }], price: 1.23456 }, [])).toEqual({
      places: [{ latitude: 56.2, longitude: 10.2 }],
      price: 1.23456,
    });
  });

  test("redact does not change JSON keys, even if a place or an API key has that name", () => {
    const list = [{ text: "prices", standIn: "place_1", kind: "name" }] as const;
    expect(redact({ prices: { today: 96, said: "Prices" } }, list)).toEqual({ prices: { today: 96, said: "place_1" } });
  });

  test("redact hides a home or plan named with a common word, but not the program's own words", () => {
    const list = [
      { text: "Prices", standIn: "home_1", kind: "name" },
      { text: "waiting", standIn: "plan_1", kind: "name" },
    ] as const;
    const plan = { id: "waiting", state: "waiting", code: "waiting_for_prices", reason: "waits for Prices" };
    expect(redact({ id: "prices", plans: [plan] }, list)).toEqual({
      id: "home_1",
      plans: [{ id: "plan_1", state: "waiting", code: "waiting_for_prices", reason: "waits for home_1" }],
    });
  });

  test("redact hides a name of one or two letters only as a whole value", () => {
    const list = [{ text: "a", standIn: "key_1", kind: "name" }] as const;
    expect(redact(["a", "A", "a plug of a key"], list)).toEqual(["key_1", "key_1", "a plug of a key"]);
  });

  test.each(["name", "secret"] as const)("redact leaves no %s in the output, in any context", (kind) => {
    const secret = fc
      .string({ minLength: 4, maxLength: 12 })
      .filter((text) => text.trim() === text && /[a-z]/i.test(text));
    fc.assert(
      fc.property(secret, fc.json({ maxDepth: 3 }), (text, around) => {
        const json = { deep: [{ around: JSON.parse(around) as unknown, said: ` ${text} `, other: text }] };
        const shown = JSON.stringify(redact(json, [{ text, standIn: "•", kind }]));
        const own = JSON.stringify(` ${text} `).slice(1, -1);
        expect(shown.toLowerCase().includes(own.toLowerCase())).toBe(false);
      }),
    );
  });

  test("redact replaces the longest text first, so that no part of it remains", () => {
    const list = [
      { text: "Lind", standIn: "A", kind: "name" },
      { text: "Lind Allé 4", standIn: "B", kind: "name" },
    ] as const;
    expect(redact("Lind Allé 4, Lind, Lindt", list)).toBe("B, A, Lindt");
  });

  test.each(["Home", "hjem", "Sommerhus", ""])("revealsPlace(%j) is false", (name) =>
    expect(revealsPlace(name)).toBe(false),
  );
  test.each(["Vesterbrogade 1", "Skagen"])("revealsPlace(%j) is true", (name) => expect(revealsPlace(name)).toBe(true));
});
