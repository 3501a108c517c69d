import { describe, expect, test } from "vitest";
import { describeIssue } from "../../../../../src/config/config-error.ts";
import { configSchema } from "../../../../../src/config/schema.ts";
import { mistakesInLanguage } from "../../../../../src/server/web/dashboard/forms/server-mistakes.ts";

const dryer = { name: "Dryer", home: "home", kind: "window", hours: 2 };
const plug = { name: "Lamp", family: "tasmota", topic: "lamp", plan: "dryer" };

/** Returns the texts of the mistakes in a configuration. */
function textsOf(tree: Record<string, unknown>): string[] {
  const result = configSchema.safeParse(tree);
  return result.success
    ? []
    : result.error.issues.flatMap((issue) => describeIssue(issue, tree)).map(({ text }) => text);
}

const cases: readonly (readonly [name: string, tree: Record<string, unknown>, danish: RegExp])[] = [
  [
    "hours that do not fit",
    { plans: [{ ...dryer, from: "12:00", ready_by: "13:00" }] },
    /Der er kun 1 timer .* 2 timer/,
  ],
  ["hours above up_to", { plans: [{ ...dryer, kind: "slots", up_to: 1, cheap_below: 1 }] }, /Højst 1 timer/],
  ["no hours", { plans: [{ name: "Dryer", home: "home", kind: "window" }] }, /Skal udfyldes/],
  [
    "a second id",
    {
      plans: [
        { ...dryer, id: "a" },
        { ...dryer, id: "a" },
      ],
    },
    /Der er allerede en/,
  ],
  ["an unknown plan", { plans: [{ ...dryer, after: "wash" }] }, /Det findes ikke: wash/],
  ["another home", { plans: [dryer, { ...dryer, name: "B", home: "b", after: "dryer" }] }, /et andet hjem \(home\)/],
  [
    "a circle",
    {
      plans: [
        { ...dryer, after: "b" },
        { ...dryer, name: "B", after: "dryer" },
      ],
    },
    /venter på hinanden/,
  ],
  ["a key of another kind", { plans: [{ ...dryer, max_gap: 2 }] }, /ikke for denne type plan/],
  ["a priority alone", { plans: [{ ...dryer, priority: 2 }] }, /kun betydning i en effektgruppe/],
  [
    "too much power",
    { groups: [{ name: "g", limit_kw: 2 }], plans: [{ ...dryer, group: "g", kw: 3 }] },
    /højst 2 kW; her er det 3 kW/,
  ],
  ["up_to alone", { plans: [{ ...dryer, kind: "slots", up_to: 3 }] }, /hører sammen/],
  ["a time", { plans: [{ ...dryer, from: "7" }] }, /Et klokkeslæt/],
  ["a span", { plans: [{ ...dryer, fallback: ["night"] }] }, /Et tidsrum/],
  ["a length", { plans: [{ ...dryer, hours: "soon" }] }, /Timer som et tal/],
  ["a large number", { plans: [{ ...dryer, tolerance: 200 }] }, /^Højst 100/],
  ["energy and hours", { plans: [{ ...dryer, energy: 2, kw: 1 }] }, /Beregnes af energi og effekt/],
  ["a plug without a plan", { plans: [dryer], plugs: [{ ...plug, plan: undefined }] }, /Vælg præcis én/],
  ["one device twice", { plans: [dryer], plugs: [plug, { ...plug, name: "B" }] }, /Denne enhed er allerede sat op/],
  [
    "a URL for zigbee2mqtt",
    { plans: [dryer], plugs: [{ ...plug, family: "zigbee2mqtt", url: "http://a" }] },
    /Kun Tasmota/,
  ],
  [
    "a topic and a URL",
    { plans: [dryer], plugs: [{ ...plug, url: "http://a" }] },
    /Har ingen betydning sammen med url/,
  ],
  ["levels out of order", { levels: { cheap: 0.5 } }, /Grænserne skal stige/],
  ["a password alone", { notify: { topic_url: "https://ntfy.sh/a", password: "abc" } }, /hører sammen/],
  ["a topic that is not a URL", { notify: { topic_url: "https://ntfy.sh/" } }, /Adressen på et emne/],
];

describe("a mistake that the daemon finds is shown in Danish:", () => {
  test.each(cases)("%s", async (_, tree, danish) => {
    const found = textsOf(tree);
    expect(found.length).toBeGreaterThan(0);
    const shown = await mistakesInLanguage(
      "da",
      found.map((text) => ({ path: "", text })),
    );
    expect(shown.map(({ text }) => text).join(" | ")).toMatch(danish);
    expect(shown.every(({ isTranslated }) => isTranslated)).toBe(true);
  });
});

test("an English page, and a text without a pattern, keep the daemon's text", async () => {
  const mistake = { path: "hours", text: "something new" };
  expect(await mistakesInLanguage("en", [mistake])).toEqual([mistake]);
  expect(await mistakesInLanguage("nb", [mistake])).toEqual([mistake]);
});
