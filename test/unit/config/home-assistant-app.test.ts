import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/load.ts";
import { copiedText, copiedYaml } from "../../support/docs/copied-files.ts";

/** What Home Assistant's supervisor demands of an app. Source: its documentation of app configuration. */
const ELEMENT =
  /^(bool|email|url|port|device(\(.+\))?|str(\(\d*,\d*\))?|password(\(\d*,\d*\))?|int(\(-?\d*,-?\d*\))?|float(\(-?[\d.]*,-?[\d.]*\))?|match\(.+\)|list\(.+\))\??$/;

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

describe("the app of Home Assistant", () => {
  test("has what the supervisor needs, and the version of the program", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as App;
    expect(app).toMatchObject({ name: "elbro", slug: "elbro", version, arch: ["aarch64", "amd64"], ingress: true });
    expect(app.services).toEqual(["mqtt:need"]);
    expect(app.homeassistant_api).toBe(true);
    expect(app.watchdog).toBe(`http://[HOST]:[PORT:${String(app.ingress_port)}]/livez`);
    expect(Object.keys(app.ports)).toEqual([`${String(app.ingress_port)}/tcp`]);
  });

  test("every option is of a kind that the supervisor knows, at a depth that it takes", () => {
    const elements = (value: unknown, depth: number): unknown[] => {
      if (typeof value !== "object" || value === null) return [value];
      expect(depth, JSON.stringify(value)).toBeLessThan(Array.isArray(value) ? 1 : 2);
      return Object.values(value).flatMap((each) => elements(each, depth + (Array.isArray(value) ? 0 : 1)));
    };
    const all = Object.values(app.schema).flatMap((value) => elements(value, 0));
    expect(all.length).toBeGreaterThan(25);
    for (const element of all) expect(element).toMatch(ELEMENT);
  });

  test("what is not optional has a default, so that the app can be saved as it is installed", () => {
    for (const [key, value] of Object.entries(app.schema)) {
      if (typeof value !== "string" || !value.endsWith("?")) expect(app.options).toHaveProperty(key);
    }
  });

  test("the options as installed are a configuration, and so are all of them filled in", () => {
    expect(read(app.options)).toMatchObject({ kind: "config" });
    const filled = {
      consumer: { api_key: "key" },
      homes: [{ address_id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", id: "home", resolution: "hour" }],
      plans: [
        {
          name: "Dishwasher",
          home: "home",
          id: "dish",
          kind: "window",
          hours: 2.5,
          kwh: 1,
          from: "19:00",
          ready_by: "06:30",
          max_price: 3,
        },
        {
          name: "Car",
          home: "home",
          kind: "slots",
          hours: 4,
          min_run: "30m",
          min_pause: "15m",
          max_gap: "9h",
          at_most_runs: 3,
          after: "dish",
        },
        {
          name: "Water",
          home: "home",
          kind: "below",
          level: "cheap",
          percent: 30,
          power_limit: "big",
          use_forecast: true,
          enabled: false,
        },
      ],
      plugs: [{ name: "Dish", plan: "dish", family: "tasmota", topic: "dish", override: "enforce" }],
      log: { level: "debug" },
    };
    expect(read(filled)).toMatchObject({ kind: "config" });
    const known = (value: unknown): string[] =>
      typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, below]) => (/^\d+$/.test(key) ? known(below) : [key, ...known(below)]))
        : [];
    expect(new Set(known(app.schema))).toEqual(new Set(known(filled)));
  });

  test.each(["en", "da"])("every section is explained in %s", (language) => {
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

  test("its icon is 128 pixels square, and its program starts as in the image", () => {
    const icon = readFileSync(new URL("../../../config/home-assistant/elbro/icon.png", import.meta.url));
    expect([icon.readUInt32BE(PNG_WIDTH_AT), icon.readUInt32BE(PNG_WIDTH_AT + 4)]).toEqual([128, 128]);
    const commandOf = (text: string) => /^CMD .*$/m.exec(text)?.[0];
    const image = readFileSync(new URL("../../../Dockerfile", import.meta.url), "utf8");
    expect(commandOf(copiedText("home-assistant/elbro/Dockerfile"))).toBe(commandOf(image));
  });
});
