/**
 * `npm run release -- cut 1.2.0`: writes a version into all files that name it, and gives the entries of "Unreleased" in
 * the change log a section of that version. The change is then committed and tagged.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Files that name the version, with the text before it. */
const BEFORE: Readonly<Record<string, RegExp>> = {
  "package.json": /^( {2}"version": ")/m,
  "package-lock.json": /("name": "elbro",\s+"version": ")/g,
  "src/core/status/version.ts": /(VERSION = ")/,
  "config/home-assistant/elbro/config.yaml": /^(version: ")/m,
  "config/kubernetes/elbro.yaml": /(image: \S+\/elbro:)/,
  "docs/operations.md": /^(elbro )(?=\d)/m,
};
export const NAMED_IN: readonly string[] = Object.keys(BEFORE);
const UNRELEASED = "## [Unreleased]\n\n";

/** Cuts a version in the folder of the sources. `day` is the date of the release, such as 2027-01-31. */
export function cutVersion(root: string, version: string, day: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`"${version}" is not a version; expected one such as 1.2.0`);
  for (const [name, before] of Object.entries(BEFORE)) {
    const number = new RegExp(`${before.source}\\d+\\.\\d+\\.\\d+`, before.flags);
    edit(path.join(root, name), (text) => {
      if (text.search(number) === -1) throw new Error(`${name} names no version`);
      return text.replace(number, (_, prefix: string) => `${prefix}${version}`);
    });
  }
  edit(path.join(root, "CHANGELOG.md"), (text) => {
    if (text.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md already has a section "## [${version}]"`);
    if (!text.includes(UNRELEASED)) throw new Error('CHANGELOG.md has no section "## [Unreleased]"');
    return text.replace(UNRELEASED, `${UNRELEASED}## [${version}] - ${day}\n\n`);
  });
}

function edit(file: string, change: (text: string) => string): void {
  const text = readFileSync(file, "utf8");
  const changed = change(text);
  if (changed !== text) writeFileSync(file, changed);
}
