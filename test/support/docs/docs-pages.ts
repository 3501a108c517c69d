/** The documentation: README.md, CONTRIBUTING.md and the pages in docs/. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../../..");

/** Returns the text of a page by its path below the root. Throws if the file does not exist. */
export function pageText(name: string): string {
  return readFileSync(path.join(ROOT, name), "utf8");
}

/** Returns the paths of all pages below the root, README.md first, without those in Danish. */
export function pageNames(): string[] {
  return ["README.md", "CONTRIBUTING.md", ...pagesIn("docs")];
}

/** Returns the paths of the pages of a folder. */
export function pagesIn(folder: string): string[] {
  const pages = readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith(".md"));
  return pages.toSorted().map((name) => `${folder}/${name}`);
}
