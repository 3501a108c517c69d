import { expect, test } from "vitest";
import { languages } from "../../../../src/i18n/languages.ts";
import { daemonRows } from "../../../../src/mqtt/homeassistant/daemon-entities.ts";
import { entityName } from "../../../../src/mqtt/homeassistant/entity.ts";
import { homeRows } from "../../../../src/mqtt/homeassistant/home-entities.ts";
import { placeRows } from "../../../../src/mqtt/homeassistant/place-entities.ts";
import { planRows } from "../../../../src/mqtt/homeassistant/plan-entities.ts";
import { pageText } from "../../../support/docs/docs-pages.ts";
import { documentedDevices, entityDocs } from "../../../support/docs/entity-docs.ts";
import { daemon } from "../../../support/home/home-cases.ts";

const written = /<!-- entities -->\n(.*)\n<!-- \/entities -->/s.exec(pageText("docs/home-assistant-entities.md"))?.[1];

test("every row of every table has its line with six columns", () => {
  const lines = entityDocs().split("\n");
  for (const row of [...homeRows, ...placeRows, ...planRows]) {
    const start = `| ${entityName(row, "en")} | \`_${row.entityName ?? row.key}\` |`;
    expect(lines.filter((line) => line.startsWith(start)).length).toBeGreaterThan(0);
  }
  for (const line of lines.filter((each) => each.startsWith("|"))) expect(line.split("|")).toHaveLength(7);
});

test.each([
  ["home", homeRows],
  ["place", placeRows],
  ["plan", planRows],
  ["daemon", daemonRows(daemon("busy"))],
])("the rows of a %s have unique keys and unique names in every language", (_device, rows) => {
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  for (const language of languages)
    expect(new Set(rows.map((row) => entityName(row, language))).size).toBe(rows.length);
  for (const { key } of rows) expect(key).toMatch(/^[a-z][a-z0-9_]*$/);
});

test.each(documentedDevices)(
  "$title: every row has a description of one sentence, and nothing else has one",
  (device) => {
    expect(Object.keys(device.about)).toEqual(device.rows.map(({ key }) => key));
    for (const about of Object.values(device.about)) expect(about).toMatch(/^[A-Z1].*\.$/);
  },
);

test("home-assistant-entities.md contains the generated table (npm run docs writes it)", () => {
  expect(written?.trim()).toBe(entityDocs());
});
