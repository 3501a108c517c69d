import { describe, expect, test } from "vitest";
import { copiedFiles, copiedText, Input, readBlueprint } from "../../support/docs/copied-files.ts";

const blueprints = copiedFiles("home-assistant/blueprints");

interface Head {
  readonly name: string;
  readonly domain: string;
  readonly homeassistant: { readonly min_version: string };
  readonly input: Readonly<Record<string, { readonly name: string; readonly selector: object }>>;
}

function inputsIn(value: unknown): string[] {
  if (value instanceof Input) return [value.name];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(inputsIn) : [];
}

test("blueprints exist for an appliance, a car, water, tomorrow's prices and negative prices", () => {
  expect(blueprints.map((path) => path.split("/").at(-1))).toEqual([
    "charge_car.yaml",
    "heat_water.yaml",
    "negative_prices.yaml",
    "run_appliance.yaml",
    "tomorrows_prices.yaml",
  ]);
});

describe.each(blueprints)("%s", (path) => {
  const { blueprint, ...automation } = readBlueprint(path) as { blueprint: Head } & Record<string, unknown>;

  test("is an automation with a name and inputs with selectors", () => {
    expect(blueprint).toMatchObject({ domain: "automation", homeassistant: { min_version: "2024.10.0" } });
    expect(blueprint.name).toMatch(/^elbro: /);
    for (const input of Object.values(blueprint.input)) expect(Object.keys(input.selector)).toHaveLength(1);
    expect(Object.keys(automation).sort()).toEqual(
      expect.arrayContaining(["actions", "mode", "triggers"]) as unknown as string[],
    );
  });

  test("uses exactly the inputs that it declares", () => {
    expect(new Set(inputsIn(automation))).toEqual(new Set(Object.keys(blueprint.input)));
  });

  test("has templates with matching brackets", () => {
    const text = copiedText(path);
    for (const [open, close] of [
      ["{{", "}}"],
      ["{%", "%}"],
    ] as const)
      expect(text.split(open)).toHaveLength(text.split(close).length);
  });
});
