import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { planDefinitions } from "../../../src/config/plan-list.ts";
import { readConfig } from "../../../src/config/reading/load.ts";
import { keyRows } from "../../../src/config/schema/key-rows.ts";
import { plansOf } from "../../../src/config/schema/plug-schema.ts";
import { languages } from "../../../src/i18n/languages.ts";
import { type AppElement, appSchema, ELSEWHERE, NOT_IN_A_FORM } from "../../support/docs/app-schema.ts";
import { copiedText, copiedYaml } from "../../support/docs/copied-files.ts";
import { pageText } from "../../support/docs/docs-pages.ts";
import { ELEMENT, takenOptions } from "../../support/home/supervisor-options.ts";
import { mistakeLines } from "../../support/sources/config-mistakes.ts";

interface App {
  readonly name: string;
  readonly version: string;
  readonly slug: string;
  readonly description: string;
  readonly arch: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly ports: Readonly<Record<string, number | null>>;
  readonly [key: string]: unknown;
}

const app = copiedYaml("home-assistant/elbro/config.yaml") as App;
const PNG_WIDTH_AT = 16;

function read(options: object) {
  return readConfig({ text: JSON.stringify(options), environment: {}, readFile: () => "" });
}

/** Returns every path of a schema or of options, such as `plans[].hours`. */
function pathsOf(value: AppElement, path: string): string[] {
  const here = path === "" || path.endsWith("[]") ? [] : [path];
  if (Array.isArray(value)) return [...here, ...new Set(value.flatMap((each) => pathsOf(each, `${path}[]`)))];
  if (typeof value !== "object" || value === null) return here;
  const prefix = path === "" ? "" : `${path}.`;
  return [...here, ...Object.entries(value).flatMap(([name, below]) => pathsOf(below, `${prefix}${name}`))];
}

/** Returns whether a key is not in the form, or in the text of an option. */
function isLeftOut(path: string, options: readonly string[]): boolean {
  const section = /^\w+/.exec(path)?.[0] ?? "";
  if (options.some((option) => path.startsWith(`${option}.`))) return true;
  return section in ELSEWHERE || [...NOT_IN_A_FORM].some((left) => path === left || path.startsWith(`${left}.`));
}

/** Returns the plans, plugs and homes of the documentation, except those with keys that are not in a form, as name and options. */
function documented(): [string, Record<string, unknown>][] {
  const blocks = ["docs/plans.md", "docs/plugs.md"].flatMap((page) =>
    [...pageText(page).matchAll(/^```yaml\n((?:plans|plugs|homes|groups):.*?)^```/gms)].map(
      ([, yaml = ""], i) => [`${page} ${i + 1}`, parse(yaml)] as [string, Record<string, unknown>],
    ),
  );
  const examples = keyRows().flatMap(({ path, words }): [string, Record<string, unknown>][] =>
    ["homes", "plans", "plugs"].includes(path) && words.items
      ? [[`example of ${path}`, { [path]: words.items.map((item) => parse(item)) }]]
      : [],
  );
  const app = copiedText("home-assistant/elbro/DOCS.md");
  const [plan, plug] = [...app.matchAll(/^```yaml\n(- name:.*?)^```/gms)].map(([, yaml = ""]) => parse(yaml));
  const format = { address_id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", id: "home", format: "nordpool" };
  return [...blocks, ...examples, ["DOCS.md", { homes: [format], plans: plan, plugs: plug }] as const].map(
    ([name, given]) => [name, withoutCustom(given)],
  );
}

function withoutCustom(given: Record<string, unknown>): Record<string, unknown> {
  const { plugs, ...others } = given as {
    plugs?: { family: string; power?: object; ends_when?: object; values?: object }[];
  };
  return {
    ...others,
    ...(plugs && {
      plugs: plugs.filter(
        ({ family, power, ends_when, values }) => family !== "custom" && !power && !ends_when && !values,
      ),
    }),
  };
}

function mistakesOf(reading: ReturnType<typeof read>): readonly string[] {
  return mistakeLines(reading);
}

const TEXTS = ["away", "soc"];

/** Returns options as the form has them: an object in an entry is a text. */
function asInForm(given: Record<string, unknown>): Record<string, unknown> {
  const withTexts = (entry: object) =>
    Object.fromEntries(
      Object.entries(entry).map(([key, value]) => [key, TEXTS.includes(key) ? JSON.stringify(value) : value]),
    );
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, Array.isArray(value) ? value.map(withTexts) : value]),
  );
}

function fromForm<Entry extends object>(entry: Entry): Entry {
  const parsed = Object.entries(entry).map(([key, value]) => [key, TEXTS.includes(key) ? parse(String(value)) : value]);
  return Object.fromEntries(parsed) as Entry;
}

/** Returns plans and plugs as parsed. The supervisor may pass a number as a string. */
function meaningOf(options: object): unknown {
  const { plans = [], plugs = [], homes = [] } = options as Partial<Record<string, never[]>>;
  return {
    homes: homes.map(fromForm),
    plans: planDefinitions(plans.map(fromForm)),
    plugs: plugs.map((plug) => withTextChannel(plug)),
  };
}

function withTextChannel(plug: { channel?: unknown }): object {
  return plug.channel === undefined ? plug : { ...plug, channel: String(plug.channel) };
}

describe("the Home Assistant app", () => {
  test("the Home Assistant app has the keys that the supervisor needs, and the program's version", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as App;
    expect(app).toMatchObject({ name: "elbro", slug: "elbro", version, arch: ["aarch64", "amd64"], ingress: true });
    expect(app).toMatchObject({ services: ["mqtt:need"], homeassistant_api: true, map: ["app_config:ro"] });
    // The image's HEALTHCHECK replaces it.
    expect(app).not.toHaveProperty("watchdog");
    expect(Object.keys(app.ports)).toEqual([`${String(app.ingress_port)}/tcp`]);
  });

  test("the Home Assistant app has only options of types that the supervisor knows", () => {
    const elements = (value: unknown): unknown[] =>
      typeof value === "object" && value !== null ? Object.values(value).flatMap(elements) : [value];
    const all = elements(app.schema);
    expect(all.length).toBeGreaterThan(40);
    for (const element of all) expect(element).toMatch(ELEMENT);
  });

  test("the Home Assistant app has an option for every configuration key, or a reason against it", () => {
    const options = pathsOf(appSchema(), "");
    const known = keyRows().map(({ path }) => path);
    const missing = known.filter((path) => !options.includes(path) && !isLeftOut(path, options));
    expect(missing).toEqual([]);
    expect(options.filter((path) => !known.includes(path))).toEqual([]);
    const sections = keyRows().filter(({ depth }) => depth === 0);
    expect(Object.keys(ELSEWHERE).filter((name) => !sections.some(({ path }) => path === name))).toEqual([]);
    expect([...NOT_IN_A_FORM].filter((path) => !known.includes(path))).toEqual([]);
  });

  test("the Home Assistant app has installed options that are a valid configuration", () => {
    const { options, dropped } = takenOptions(app.schema, app.options);
    expect(dropped).toEqual([]);
    expect(read(options)).toMatchObject({ kind: "config" });
  });

  test.each(documented())(
    "the Home Assistant app receives documented options unchanged from the supervisor: %s",
    (_name, given) => {
      const { options, dropped } = takenOptions(app.schema, { ...app.options, ...asInForm(given) });
      expect(dropped).toEqual([]);
      expect(mistakesOf(read(options))).toEqual(mistakesOf(read(given)));
      expect(meaningOf(options)).toEqual(meaningOf(asInForm(given)));
    },
  );

  test.each([
    ["a price", 1.2],
    ["a negative price", -0.05],
    ["a percentage", "30%"],
    ["a level", "cheap"],
  ])("the Home Assistant app accepts %s as cheap_below, with the meaning of elbro.yaml", (_, cheap_below) => {
    const plan = { name: "Car", home: "home", kind: "slots", hours: 2, up_to: 3, cheap_below };
    const { options } = takenOptions(app.schema, { ...app.options, plans: [plan] });
    expect(mistakesOf(read(options))).toEqual([]);
    expect(meaningOf(options)).toEqual(meaningOf({ plans: [plan] }));
  });

  test("the Home Assistant app accepts a holiday and the charge of a battery as texts, and names their mistakes", () => {
    const address_id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
    const homes = [{ address_id, id: "home", away: "{ from: 2026-07-04, until: '2026-07-25T16:00' }" }];
    const soc = "{ topic: car/soc, capacity_kwh: 62, target: 90 }";
    const plan = { name: "Car", home: "home", kind: "slots", kw: 11, soc };
    const { options } = takenOptions(app.schema, { ...app.options, homes, plans: [plan] });
    expect(read(options)).toMatchObject({
      config: {
        homes: [{ away: { from: "2026-07-04", until: "2026-07-25T16:00" } }],
        plans: [{ soc: { topic: "car/soc", capacity_kwh: 62, target: 90, minimum: 0 } }],
      },
    });
    const mistaken = read({
      ...options,
      plans: [
        { ...plan, soc: "car/soc" },
        { ...plan, name: "Van", soc: "{ topic: }" },
      ],
    });
    expect(mistakesOf(mistaken).join()).toMatch(/plans\[0\]\.soc: .*plans\[1\]\.soc\.topic: .*capacity_kwh/);
  });

  test("the Home Assistant app takes a place and push messages, and neither if the form leaves them empty", () => {
    const third_party = { api_key: "key", api_secret: "secret", places: [{ name: "Cabin", region: "DK1" }] };
    const notify = { topic_url: "https://ntfy.sh/my-topic", quiet_hours: "22:00-07:00" };
    const { options, dropped } = takenOptions(app.schema, { ...app.options, third_party, notify });
    expect(dropped).toEqual([]);
    expect(read(options)).toMatchObject({ config: { third_party, notify: { topic_url: notify.topic_url } } });
    const empty = read(takenOptions(app.schema, app.options).options);
    expect(empty).toMatchObject({ kind: "config" });
    expect(empty.kind === "config" && Object.keys(empty.config)).not.toContain("notify");
    expect(empty.kind === "config" && Object.keys(empty.config)).not.toContain("third_party");
  });

  test("the Home Assistant app accepts several plans of a plug with commas, and the channel as a number", () => {
    const plans = ["Car", "Tub"].map((name) => ({ name, home: "home", kind: "slots", hours: "2" }));
    const plug = { name: "Relay", family: "tasmota", topic: "relay", plan: "car, tub", channel: 2 };
    const { options } = takenOptions(app.schema, { ...app.options, plans, plugs: [plug] });
    const reading = read({ ...options, homes: [{ address_id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", id: "home" }] });
    expect(mistakesOf(reading)).toEqual([]);
    expect(plansOf(plug)).toEqual(["car", "tub"]);
    expect(mistakesOf(read({ ...options, plugs: [{ ...plug, plan: "car, tube" }] })).join()).toContain("tube");
    expect(
      mistakesOf(read({ plans: [{ ...plans[0], up_to: 3, hours: undefined, cheap_below: "99" }] })).join(),
    ).toContain("cheap_below");
  });

  test("the Home Assistant app has documented plans and plugs for almost every option", () => {
    const shown = new Set(documented().flatMap(([, given]) => pathsOf(given as never, "")));
    const options = pathsOf(appSchema(), "").filter((path) => /^(plans|plugs)\[\]/.test(path));
    expect(options.filter((path) => !shown.has(path))).toEqual(["plans[].id", "plans[].enabled", "plugs[].id"]);
  });

  test("the Home Assistant app drops unknown options and rejects invalid values", () => {
    const plan = { name: "Car", home: "home", kind: "slots", hours: "45m" };
    const take = (more: object) => takenOptions(app.schema, { ...app.options, plans: [{ ...plan, ...more }] });
    expect(take({ hour: 3 }).dropped).toEqual(["plans[0].hour"]);
    for (const wrong of [
      { kind: "slot" },
      { hours: "two" },
      { from: "7:00" },
      { max_price: 101 },
      { days: ["monday"] },
    ])
      expect(() => take(wrong), JSON.stringify(wrong)).toThrow();
  });

  test.each(languages)("the Home Assistant app explains every section in %s", (language) => {
    const words = copiedYaml(`home-assistant/elbro/translations/${language}.yaml`) as {
      configuration: Record<string, { name: string; description: string }>;
      network: Record<string, string>;
    };
    expect(Object.keys(words.configuration).sort()).toEqual(Object.keys(app.schema).sort());
    for (const { name, description } of Object.values(words.configuration)) {
      expect(name.length).toBeGreaterThan(2);
      expect(description.length).toBeGreaterThan(10);
    }
    expect(Object.keys(words.network)).toEqual(Object.keys(app.ports));
  });

  test("the Home Assistant app has an icon of 128 x 128 pixels, and starts the program as the image does", () => {
    const icon = readFileSync(new URL("../../../config/home-assistant/elbro/icon.png", import.meta.url));
    expect([icon.readUInt32BE(PNG_WIDTH_AT), icon.readUInt32BE(PNG_WIDTH_AT + 4)]).toEqual([128, 128]);
    const logo = readFileSync(new URL("../../../config/home-assistant/elbro/logo.png", import.meta.url));
    expect([logo.readUInt32BE(PNG_WIDTH_AT), logo.readUInt32BE(PNG_WIDTH_AT + 4)]).toEqual([250, 100]);
    expect(copiedText("home-assistant/elbro/apparmor.txt").match(/^profile \w+/gm)).toEqual(["profile elbro"]);
    const commandOf = (text: string) => /^CMD .*$/m.exec(text)?.[0];
    const image = readFileSync(new URL("../../../Dockerfile", import.meta.url), "utf8");
    expect(commandOf(copiedText("home-assistant/elbro/Dockerfile"))).toBe(commandOf(image));
  });
});
