/** Documentation of the entities as Markdown, made from the rows of the entities. */
import { daemonRows } from "./daemon-entities.ts";
import { type EntityRow, entityName } from "./entity.ts";
import { formatRow, homeRows } from "./home-entities.ts";
import { placeRows } from "./place-entities.ts";
import { planRows } from "./plan-entities.ts";
import { plugRows } from "./plug-entities.ts";

/** Returns one Markdown table per kind of device, for docs/home-assistant-entities.md. It has no line break at either end. */
export function entityDocs(): string {
  return [
    ["**Each home**", ...table([...homeRows, formatRow])],
    ["**Each place** of the third-party interface", ...table(placeRows)],
    ["**Each plan**", ...table(planRows)],
    ["**Each plug**", ...table(plugRows)],
    ["**The daemon**", ...table(daemonRows(EXAMPLE))],
  ]
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** Placeholders for the rows that exist once per account or series. */
const EXAMPLE: Parameters<typeof daemonRows>[0] = {
  interfaces: [
    {
      account: "‹account›",
      interface: "consumer",
      service: "ok",
      minuteLeft: null,
      dayLeft: null,
      requestsToday: null,
    },
  ],
  series: [{ owner: { id: "‹home›", name: "‹home›" }, account: "‹account›", label: "‹series›", lastSuccessAt: null }],
};

function table(rows: readonly EntityRow<never>[]): string[] {
  return ["", "| entity | id ends in | kind | unit | meaning |", "|---|---|---|---|---|", ...rows.map(line)];
}

function line(row: EntityRow<never>): string {
  const { key, platform, deviceClass, unit, about, attributes, exists } = row;
  const kind = [platform.replace("_", " "), deviceClass].filter(Boolean).join(", ");
  const notes = [
    about,
    ...(attributes === undefined ? [] : [`Attributes: topic \`…/${attributes}\`.`]),
    ...(exists === undefined ? [] : ["Only if the data contains it."]),
  ];
  return `| ${entityName(row, "en")} | \`_${key}\` | ${kind} | ${unitInWords(unit)} | ${notes.join(" ")} |`;
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
