import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeIssue } from "../../../src/config/config-error.ts";
import { readConfig } from "../../../src/config/load.ts";
import { triedPlans } from "../../../src/config/plan-trials.ts";
import { configSchema } from "../../../src/config/schema.ts";
import { textIn } from "../../../src/core/language/text.ts";
import { Problems } from "../../../src/core/status/problem.ts";
import { PATTERNS } from "../../../src/dashboard/forms/mistake-patterns.ts";
import { mistakesInLanguage } from "../../../src/dashboard/forms/server-mistakes.ts";
import { ConfigReload } from "../../../src/state/config-reload.ts";
import { ConfigurationEditor, type ConfigurationSource } from "../../../src/state/configuration-editor.ts";
import { ConfigurationFiles } from "../../../src/state/configuration-files.ts";
import type { Edited } from "../../../src/state/entry-editor.ts";
import { SettingsEditor } from "../../../src/state/settings-editor.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const dryer = { name: "Dryer", home: "home", kind: "window", hours: 2 };
const plug = { name: "Lamp", family: "tasmota", topic: "lamp", plan: "dryer" };

const GROUP = { name: "g", limit_kw: 20 };
const inGroup = (i: number) => ({ ...dryer, name: `Plan ${i}`, group: "g", kw: 1 });

/** Returns the texts of the mistakes in a configuration. */
function textsOf(tree: Record<string, unknown>): string[] {
  const result = configSchema.safeParse(tree);
  return result.success
    ? triedPlans(result.data).map((said) => textIn("en", said))
    : result.error.issues
        .flatMap((issue) => describeIssue(issue, tree, configSchema))
        .map((said) => textIn("en", said));
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
  ["a text for a number", { plans: [{ ...dryer, kwh: "much" }] }, /^Skal være et tal/],
  ["half a run", { plans: [{ ...dryer, kind: "slots", at_most_runs: 1.5 }] }, /^Skal være et helt tal/],
  ["a small number", { plans: [{ ...dryer, max_price: -20 }] }, /^Mindst -10/],
  ["an unknown kind", { plans: [{ ...dryer, kind: "never" }] }, /Har ikke den rigtige form/],
  ["an unknown key", { plans: [{ ...dryer, colour: "red" }] }, /Denne nøgle findes ikke/],
  ["a full group", { groups: [GROUP], plans: Array.from({ length: 13 }, (_, i) => inGroup(i)) }, /højst 12/],
  ["a group of two homes", { groups: [GROUP], plans: [inGroup(0), { ...inGroup(1), home: "b" }] }, /samme hjem/],
  ["a group with a plan that stays on", { groups: [GROUP], plans: [{ ...inGroup(0), when_lost: "on" }] }, /slukket/],
  ["a message for tasmota", { plans: [dryer], plugs: [{ ...plug, on: { topic: "a", payload: "b" } }] }, /egne emner/],
  ["a plan that is always off", { plans: [{ ...dryer, kind: "avoid", hours: 24 }] }, /kører planen aldrig .* 24 timer/],
  ["runs that do not fit", { plans: [{ ...dryer, kind: "slots", hours: 1, max_gap: 1 }] }, /Ingen kørsler passer ind/],
  ["long runs", { plans: [{ ...dryer, kind: "slots", hours: 1, min_run: 2 }] }, /Højst planens 1 timer; her er det 2/],
  [
    "long pauses",
    { plans: [{ ...dryer, kind: "slots", at_most_runs: 3, min_pause: 20 }] },
    /^Højst 2: med 20 timers pause/,
  ],
  [
    "fallback hours outside",
    { plans: [{ ...dryer, from: "22:00", ready_by: "06:00", fallback: ["12:00-14:00"] }] },
    /12:00-14:00 ligger uden for planens tidsrum 22:00-06:00/,
  ],
  [
    "two relays of a device",
    { plans: [dryer], plugs: [plug, { ...plug, name: "B", channel: 2, when_lost: "on" }] },
    /hele enheden har kun én indstilling/,
  ],
  ["a plan without an account", { plans: [dryer], third_party: { places: [] } }, /hjem fra en konto/],
  ["a price in øre", { plans: [{ ...dryer, max_price: 99 }] }, /kr\. pr\. kWh, fx 1,50/],
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

/** Returns what the daemon says about changes that it refuses. */
async function refusals(): Promise<string[]> {
  using folder = new TempDir();
  const file = `${folder.path}/elbro.yaml`;
  const notify = { topic_url: "https://ntfy.sh/my-house-4821", username: "me", password: "secret" };
  writeFileSync(file, JSON.stringify({ consumer: { api_key: "abc" }, plans: [dryer], notify }));
  const readWith: ConfigurationSource["readWith"] = (texts) =>
    readConfig({ text: texts.file, environment: {}, readFile: () => "" });
  const files = new ConfigurationFiles(file, folder.path);
  const reading = readWith(files.read());
  if (reading.kind === "mistakes") throw new Error("the configuration has a mistake");
  const clock = { now: () => 0 };
  const log = { info: () => undefined, warn: () => undefined };
  const parts = { clock, log, problems: new Problems(() => undefined) };
  const reloading = new ConfigReload(reading.config, parts, () => undefined);
  const source = { path: file, isSetOutside: () => false, readWith, read: async () => reading.config };
  const entries = new ConfigurationEditor({ source, files, reloading, clock });
  const settings = new SettingsEditor({ source, files, reloading, clock });
  const asked = { list: "plans", entry: { ...dryer, id: "dryer" }, isDelete: false, revision: null } as const;
  const textsIn = (edited: Edited) =>
    edited.kind === "saved"
      ? []
      : (edited.mistakes?.map((said) => textIn("en", said)) ?? [textIn("en", edited.reason)]);
  const moved = { topic_url: "https://example.org/my-house-4821", username: "me" };
  return [
    ...textsIn(await entries.change({ ...asked, id: null })),
    ...textsIn(await entries.change({ ...asked, id: "wash" })),
    ...textsIn(await settings.change({ name: "notify", value: moved, revision: null })),
  ];
}

const common = {
  da: [/^Der er allerede en/, /^Det findes ikke: wash/, /^Skal udfyldes igen/],
  nb: [/^Det finnes allerede en/, /^Dette finnes ikke: wash/, /^Må fylles ut på nytt/],
  sv: [/^Det finns redan en/, /^Det finns inte: wash/, /^Måste fyllas i igen/],
} as const;

test.each(Object.entries(common))("refused changes are translated to %s", async (language, expected) => {
  const found = (await refusals()).map((text) => ({ path: "", text }));
  const shown = await mistakesInLanguage(language as keyof typeof common, found);
  expect(shown.map(({ text }) => text)).toEqual(expected.map((text) => expect.stringMatching(text)));
});

test("each pattern is the first that matches at least one text of the daemon", async () => {
  const texts = [...cases.flatMap(([, tree]) => textsOf(tree)), ...(await refusals())];
  const firsts = texts.map((text) => Object.entries(PATTERNS).find(([, pattern]) => pattern.test(text))?.[0]);
  expect(Object.keys(PATTERNS).filter((key) => !firsts.includes(key))).toEqual([]);
});

test("an English page, and a text without a pattern, keep the daemon's text", async () => {
  const mistake = { path: "hours", text: "something new" };
  expect(await mistakesInLanguage("en", [mistake])).toEqual([mistake]);
  expect(await mistakesInLanguage("nb", [mistake])).toEqual([mistake]);
});
