/** Where elbro is published, for documents and blueprints. `release/addresses.ts` has the addresses. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseDocument } from "yaml";
import { type Addresses, addressesOf } from "../../../release/addresses.ts";

interface Place {
  readonly address: (addresses: Addresses) => string;
  /** Name, and what to do as long as nothing is published. */
  readonly en: readonly [string, string];
  readonly da: readonly [string, string];
}

const PLACES: readonly Place[] = [
  {
    address: ({ repository }) => `<${repository}>`,
    en: ["source", "a copy of this repository"],
    da: ["kildekode", "en kopi af dette lager"],
  },
  {
    address: ({ image }) => `\`docker pull ${image}\`, \`docker tag ${image} elbro\``,
    en: ["image", "build it in the source: `docker build -t elbro .`"],
    da: ["image", "byg det i kildekoden: `docker build -t elbro .`"],
  },
  {
    address: () => "`npm install --global elbro`",
    en: ["package", "in the source, `npm run release` writes its file to `build/release`"],
    da: ["pakke", "i kildekoden skriver `npm run release` filen i `build/release`"],
  },
  {
    address: ({ appStore }) => `\`${appStore}\``,
    en: ["app of Home Assistant", "copy its folder, which `npm run lab -- app` writes in the source"],
    da: ["app til Home Assistant", "kopiér mappen, som `npm run lab -- app` skriver i kildekoden"],
  },
  {
    address: ({ homepage }) => `<${homepage}>`,
    en: ["documentation", "`npm run lab -- site` writes it in the source"],
    da: ["dokumentation", "`npm run lab -- site` skriver den i kildekoden"],
  },
];

/** Returns the table of what is published where, or of what to do instead. */
export function addressDocs(language: "en" | "da", addresses = addressesOf()): string {
  const notYet = language === "en" ? "not published yet" : "ikke udgivet endnu";
  const rows = PLACES.map(({ address, [language]: [name, instead] }) =>
    addresses ? `| ${name} | ${address(addresses)} |` : `| ${name} | ${notYet}: ${instead} |`,
  );
  return ["| | |", "|---|---|", ...rows].join("\n");
}

const BLUEPRINTS = "config/home-assistant/blueprints";

/** Returns the blueprints with the address that Home Assistant imports and updates them from. */
export function blueprintFiles(root: string, addresses = addressesOf()): { name: string; text: string }[] {
  return blueprintNames(root).map((file) => {
    const name = `${BLUEPRINTS}/${file}`;
    const text = readFileSync(path.join(root, name), "utf8").replace(/^ {2}source_url: .*\n/m, "");
    const source = addresses && `  source_url: ${sourceOf(name, addresses)}\n`;
    return { name, text: text.replace(/^ {2}domain: automation\n/m, (line) => `${line}${source ?? ""}`) };
  });
}

/** Returns the list of blueprints with a button each, or with their files. */
export function blueprintDocs(root: string, addresses = addressesOf()): string {
  const rows = blueprintNames(root).map((file) => {
    const name = `${BLUEPRINTS}/${file}`;
    const title = parseDocument(readFileSync(path.join(root, name), "utf8")).getIn(["blueprint", "name"]);
    const link = addresses && encodeURIComponent(sourceOf(name, addresses));
    const shown = link
      ? `[import it](https://my.home-assistant.io/redirect/blueprint_import/?blueprint_url=${link})`
      : `\`${file}\``;
    return `| ${String(title).replace(/^elbro: /, "")} | ${shown} |`;
  });
  const how = addresses
    ? []
    : [
        "Not published yet, so there is no button to import them: copy them to `blueprints/automation/elbro/` in the configuration folder of",
        "Home Assistant and reload automations.",
        "",
      ];
  return [...how, "| blueprint | |", "|---|---|", ...rows].join("\n");
}

function blueprintNames(root: string): string[] {
  return readdirSync(path.join(root, BLUEPRINTS)).toSorted();
}

/** Returns the address of a file, which Home Assistant turns into that of its text. */
function sourceOf(name: string, { repository }: Addresses): string {
  return `${repository}/blob/main/${name}`;
}
