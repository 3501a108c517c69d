/** Files that make the build a package for npm: its manifest, and the licences of the libraries inside the program. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Addresses, addressesOf } from "./addresses.ts";

const ROOT = path.join(import.meta.dirname, "..");

/** Library of which code is in the program. */
interface BundledLibrary {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Text of its licence; null if the package has none. */
  readonly text: string | null;
}

/** Returns the libraries to which modules belong. Shape: `modules` are absolute paths; the result is sorted by name. */
function bundledLibraries(modules: Iterable<string>): BundledLibrary[] {
  const folders = new Set([...modules].flatMap((module) => folderOf(module) ?? []));
  return [...folders].map(libraryIn).sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** Returns the folder of the package that a module belongs to; null for elbro's own and for virtual modules. */
function folderOf(module: string): string | null {
  return (
    /^(?:\w:)?\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(
      module.replaceAll("\\", "/").replace(/^\0/, ""),
    )?.[0] ?? null
  );
}

function libraryIn(folder: string): BundledLibrary {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each));
  return { name, version, license, text: file ? readFileSync(path.join(folder, file), "utf8").trim() : null };
}

/** Lines at the beginning of a licence that differ between libraries with the same one: its name and the copyrights. */
const OWN_LINES = /^(\s*|.*licen[cs]e( \(.*\))?:?|#.*|=+|-+|.*copyright .*|all rights reserved\.?)$/i;

/** Returns the notices that the licences of the libraries require. Libraries with the same licence share its text. */
function noticesText(libraries: readonly BundledLibrary[]): string {
  const parsed = libraries.map(({ name, version, license, text }) => {
    const lines = (text ?? "The package has no text of its licence.").split(/\r?\n/);
    const common = Math.max(
      lines.findIndex((line) => !OWN_LINES.test(line)),
      0,
    );
    const own = lines.slice(0, common).filter((line) => /copyright/i.test(line));
    return { title: [`${name} ${version} (${license})`, ...own].join("\n"), body: lines.slice(common).join("\n") };
  });
  const groups = Map.groupBy(parsed, ({ body }) => body.replace(/\s+/g, " ").trim());
  const parts = [...groups.values()].map((same) =>
    [...same.map(({ title }) => title), `\n${same[0]?.body.trim()}\n`].join("\n"),
  );
  return `elbro contains code of these libraries.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** Returns the manifest of the package, which needs nothing else to be installed. */
function packageManifest(addresses: Addresses | null): string {
  const { name, version, description, license, engines } = JSON.parse(read("package.json"));
  const manifest = {
    ...{ name, version, description, license, engines, bin: { elbro: "elbro.cjs" }, type: "commonjs" },
    ...(addresses && {
      homepage: addresses.homepage,
      repository: { type: "git", url: `git+${addresses.repository}.git` },
    }),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Returns the files of the package besides the program, by name. */
export function packageFiles(modules: Iterable<string>, addresses = addressesOf()): Readonly<Record<string, string>> {
  return {
    "package.json": packageManifest(addresses),
    "README.md": read("release/README.npm.md"),
    LICENSE: read("LICENSE"),
    "THIRD-PARTY-NOTICES.txt": noticesText(bundledLibraries(modules)),
  };
}

function read(name: string): string {
  const file = path.join(ROOT, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
