/** The languages: one file each in `src/i18n`. Everything else that lists them is made from these files. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { TextTree } from "../../../src/core/text/fill-text.ts";

export interface GeneratedFile {
  /** Path below the root. */
  readonly name: string;
  readonly text: string;
}

const FOLDER = "src/i18n";

interface LanguageFile {
  readonly code: string;
  readonly texts: { readonly language: { readonly name: string; readonly locale: string } };
}

/** Returns the languages in the order of their codes. */
function languageFiles(root: string): LanguageFile[] {
  const names = readdirSync(path.join(root, FOLDER)).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => ({
    code: path.parse(name).name,
    texts: JSON.parse(readFileSync(path.join(root, FOLDER, name), "utf8")),
  }));
}

/** Returns the lists of languages that the program imports. */
export function languageLists(root: string): GeneratedFile[] {
  const files = languageFiles(root);
  const record = (of: (file: LanguageFile) => string) =>
    `{\n${files.map((file) => `  ${file.code}: ${JSON.stringify(of(file))},\n`).join("")}}`;
  const codes = files.map(({ code }) => code);
  return [
    {
      name: `${FOLDER}/languages.ts`,
      text: `/** The languages of this folder. Made by \`npm run docs\`. */
export const languages = [${codes.map((code) => `"${code}"`).join(", ")}] as const;

/** Name of each language in itself. */
export const languageNames = ${record(({ texts }) => texts.language.name)} as const;

/** Locale of each language if the browser names no country. */
export const locales = ${record(({ texts }) => texts.language.locale)} as const;
`,
    },
    {
      name: `${FOLDER}/texts.ts`,
      text: `/** The texts of the languages of this folder. Made by \`npm run docs\`. */
${codes.map((code) => `import ${code} from "./${code}.json" with { type: "json" };\n`).join("")}
export const textFiles = { ${codes.join(", ")} };
`,
    },
  ];
}

/** Returns how many of the English texts each language has, one line each. */
export function languageShares(root: string): string[] {
  const files = languageFiles(root);
  const english = new Set(files.filter(({ code }) => code === "en").flatMap(({ texts }) => keysOf(texts)));
  return files.map(({ code, texts }) => {
    const count = keysOf(texts).filter((key) => english.has(key)).length;
    return `${code}: ${count} of ${english.size} texts, ${Math.floor((100 * count) / english.size)} %`;
  });
}

function keysOf(tree: TextTree, above = ""): string[] {
  if (typeof tree === "string") return [above];
  return Object.entries(tree).flatMap(([name, below]) => keysOf(below, `${above}.${name}`));
}
