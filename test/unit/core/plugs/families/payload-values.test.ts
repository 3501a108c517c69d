import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expressionsIn, matches } from "../../../../../src/core/plugs/families/payload-values.ts";

const read = (on: string) => expressionsIn({ state: { topic: "s", on, off: "off" } });

test("a payload matches in any case and with spaces around it, one of a list too", () => {
  const wanted: [string | readonly string[], string][] = [
    ["on", " ON "],
    [["on", "true"], "True"],
    ["on", "one"],
    [["on"], ""],
    ["/^(on|heat)$/", "Heat"],
    ["/^o/", "on"],
  ];
  expect(wanted.map(([each, payload]) => matches(each, payload))).toEqual([true, true, false, false, true, false]);
});

describe("a regular expression of an earlier version", () => {
  test.each([
    ["/^(on|true|1)$/i", ["on", "true", "1"]],
    ["/^(?:on|true)$/", ["on", "true"]],
    ["/^on$/", ["on"]],
    ["/^on$|^true$/", ["on", "true"]],
    ["/^(12\\.5|a\\/b)$/", ["12.5", "a/b"]],
    ["/^heat cool$/", ["heat cool"]],
  ])("that is a choice of payloads is read as a list: %s", (expression, payloads) => {
    expect(read(expression)).toEqual([{ key: "state.on", expression, payloads }]);
  });

  test.each(
    String.raw`/^(a+)+$/ /(/ /on/ /^on/ /^on|true$/ /^(on|)$/ /^.*$/ /^o[Nn]$/ /^\d$/ /^\bon$/ /^(on|(true|1))$/`.split(
      " ",
    ),
  )("that is more than a choice is not read: %s", (expression) => {
    expect(read(expression)).toEqual([{ key: "state.on", expression, payloads: null }]);
  });

  test("that is read means the same as before, for any expression and payload", () => {
    const part = fc.constantFrom(
      "on",
      "1",
      "|",
      "(",
      ")",
      "^",
      "$",
      "\\",
      ".",
      "?",
      "a b",
      "(?:",
      "+",
      "[",
      "]",
      "/",
      "d",
    );
    const source = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
    const choice = fc.array(fc.constantFrom("on", "1", "a\\.b", "d"), { minLength: 1, maxLength: 3 });
    const anySource = fc.oneof(
      source,
      source.map((text) => `^(${text})$`),
      choice.map((parts) => `^(${parts.join("|")})$`),
    );
    fc.assert(
      fc.property(anySource, source, (text, payload) => {
        const [found] = read(`/${text}/`);
        if (!found?.payloads) return;
        const before = new RegExp(text, "i");
        for (const each of [...found.payloads, payload.trim()])
          expect(matches(`/${text}/`, each)).toBe(before.test(each));
      }),
    );
  });
});
