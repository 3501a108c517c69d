/** Documentation of the entities as Markdown, made from the rows of the entities and their descriptions. */
import { daemonRows } from "../../../src/mqtt/homeassistant/daemon-entities.ts";
import { type EntityRow, entityName } from "../../../src/mqtt/homeassistant/entity.ts";
import descriptions from "../../../src/mqtt/homeassistant/entity-descriptions.json" with { type: "json" };
import { formatRow, homeRows } from "../../../src/mqtt/homeassistant/home-entities.ts";
import { placeRows } from "../../../src/mqtt/homeassistant/place-entities.ts";
import { planRows } from "../../../src/mqtt/homeassistant/plan-entities.ts";
import { plugRows } from "../../../src/mqtt/homeassistant/plug-entities.ts";

/** Returns one Markdown table per kind of device, for docs/home-assistant-entities.md. It has no line break at either end. */
export function entityDocs(): string {
  return documentedDevices.map(({ title, rows, about }) => [title, ...table(rows, about)].join("\n")).join("\n\n");
}

/** Placeholders for the rows that exist once per account or series. */
const EXAMPLE: Parameters<typeof daemonRows>[0] = {
  interfaces: [
    {
      account: "‹account›",
      interface: "consumer",
      service: "ok",
      quota: { minute: null, day: null },
      requestsToday: null,
    },
  ],
  series: [{ owner: { id: "‹home›", name: "‹home›" }, account: "‹account›", label: "‹series›", lastSuccessAt: null }],
};

/** Entities by device, and what each means, in one sentence by key. */
export const documentedDevices: readonly {
  readonly title: string;
  readonly rows: readonly EntityRow<never>[];
  readonly about: Readonly<Record<string, string>>;
}[] = [
  { title: "**Each home**", rows: [...homeRows, formatRow], about: descriptions.home },
  { title: "**Each place** of the third-party interface", rows: placeRows, about: descriptions.place },
  { title: "**Each plan**", rows: planRows, about: descriptions.plan },
  { title: "**Each plug**", rows: plugRows, about: descriptions.plug },
  { title: "**The daemon**", rows: daemonRows(EXAMPLE), about: descriptions.daemon },
];

function table(rows: readonly EntityRow<never>[], about: Readonly<Record<string, string>>): string[] {
  const lines = rows.map((row) => line(row, meaningOf(row.key, about)));
  return ["", "| entity | id ends in | kind | unit | meaning |", "|---|---|---|---|---|", ...lines];
}

function meaningOf(key: string, about: Readonly<Record<string, string>>): string {
  const meaning = about[key];
  if (meaning) return meaning;
  const command = "describe it there in one sentence, then run npm run docs";
  throw new Error(
    `src/mqtt/homeassistant/entity-descriptions.json has no description of the entity ${key}: ${command}`,
  );
}

function line(row: EntityRow<never>, about: string): string {
  const { key, entityName: last = key, platform, deviceClass, unit, attributes, exists, isHidden, isTime } = row;
  const kind = [(isTime ? "time" : platform).replace("_", " "), deviceClass].filter(Boolean).join(", ");
  const notes = [
    about,
    ...(attributes === undefined ? [] : [`Attributes: topic \`…/${attributes}\`.`]),
    ...(exists === undefined ? [] : ["Only if the data contains it."]),
    ...(isHidden ? ["Disabled at first."] : []),
  ];
  return `| ${entityName(row, "en")} | \`_${last}\` | ${kind} | ${unitInWords(unit)} | ${notes.join(" ")} |`;
}

function unitInWords(unit: EntityRow<never>["unit"]): string {
  switch (unit) {
    case undefined:
      return "";
    case "perKwh":
      return "`DKK/kWh`";
    case "currency":
      return "`DKK`";
    default:
      return `\`${unit}\``;
  }
}
