/** Writes the app for Home Assistant with its repository file, as the app store of Home Assistant reads it. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseDocument } from "yaml";
import type { Addresses } from "./addresses.ts";

const ROOT = path.join(import.meta.dirname, "..");
const SOURCE = path.join(ROOT, "config/home-assistant");

/**
 * Writes the app to `folder`. With addresses, the app installs the published image of this version; otherwise Home
 * Assistant builds it from the program, which is then beside it.
 */
export function writeHomeAssistantApp(folder: string, addresses: Addresses | null): void {
  const app = path.join(folder, "elbro");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ["repository.yaml", "elbro"])
    cpSync(path.join(SOURCE, name), path.join(folder, name), { recursive: true });
  cpSync(path.join(ROOT, "CHANGELOG.md"), path.join(app, "CHANGELOG.md"));
  if (addresses === null) {
    cpSync(path.join(ROOT, "dist"), path.join(app, "program"), { recursive: true });
    return;
  }
  rmSync(path.join(app, "Dockerfile"));
  edit(path.join(app, "config.yaml"), { url: addresses.homepage, image: `${addresses.image}-app` });
  edit(path.join(folder, "repository.yaml"), { url: addresses.repository });
}

/** Adds values to a YAML file and keeps its comments. */
function edit(file: string, values: Readonly<Record<string, string>>): void {
  const document = parseDocument(readFileSync(file, "utf8"));
  for (const [key, value] of Object.entries(values)) document.set(key, value);
  writeFileSync(file, document.toString({ lineWidth: 0 }));
}
