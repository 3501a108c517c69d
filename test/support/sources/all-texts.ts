/** The texts of all languages, and where the sources name them. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Language } from "../../../src/core/language/language.ts";
import { type Pattern, type Texts, type TextTree, withEnglish } from "../../../src/core/text/fill-text.ts";
import { languages } from "../../../src/i18n/languages.ts";
import { textFiles } from "../../../src/i18n/texts.ts";
import { childrenOf, isNode, nameOf, parse, textOf, walk } from "./architecture.ts";

/**
 * Texts that each language shows: what it lacks is English. English has fewer descriptions of fields, because the schema
 * of the configuration has them.
 */
export const allTexts = Object.fromEntries(
  languages.map((language) => [language, withEnglish(textFiles[language], textFiles.en)]),
) as Readonly<Record<Language, Texts>>;

/** Languages that have all texts, besides English. They stay complete. */
export const completeLanguages = languages.filter(
  (language) => language !== "en" && textFiles[language].language.state === "complete",
);

/** Returns every pattern by its key, for instance `page.log_in`. */
export function patternsIn(tree: object, above = ""): ReadonlyMap<string, Pattern> {
  return new Map(
    Object.entries(tree as Record<string, TextTree>).flatMap(([name, below]): (readonly [string, Pattern])[] =>
      isPattern(below) ? [[`${above}${name}`, below]] : [...patternsIn(below, `${above}${name}.`)],
    ),
  );
}

/** Plural categories of any language (Unicode CLDR). */
const CATEGORIES: ReadonlySet<string> = new Set(["zero", "one", "two", "few", "many", "other"]);

function isPattern(tree: TextTree): tree is Pattern {
  return typeof tree === "string" || ("other" in tree && Object.keys(tree).every((name) => CATEGORIES.has(name)));
}

/** Returns the forms of a pattern: one, or several if it has a plural. */
export function formsOf(pattern: Pattern): string[] {
  return typeof pattern === "string" ? [pattern] : Object.values(pattern);
}

/** Returns the names of the placeholders of a pattern. */
export function placeholdersOf(pattern: Pattern): string[] {
  const names = formsOf(pattern).flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""));
  return [...new Set(names)].sort();
}

/** Names of texts in a source. */
export interface NamedTexts {
  /** Each string, and the start of each string with a value in it, which ends with `…`. */
  readonly strings: ReadonlySet<string>;
  /** Each call with a string first and no more than an object with known names after it. */
  readonly calls: readonly { readonly file: string; readonly name: string; readonly facts: readonly string[] }[];
  /** Each call of `localError`, and whether its reason is a string in the source. */
  readonly errors: readonly { readonly file: string; readonly code: string | null; readonly hasSentence: boolean }[];
}

const SOURCES = path.resolve(import.meta.dirname, "../../../src");

/** Reads the sources below folders of `src`. */
export function namedTexts(folders: readonly string[]): NamedTexts {
  const namesIn = (folder: string) => readdirSync(path.join(SOURCES, folder), { recursive: true, encoding: "utf8" });
  const files = folders
    .flatMap((folder) => namesIn(folder).map((name) => path.join(folder, name)))
    .filter((name) => /(?<!\.config)\.tsx?$/.test(name));
  const visits = files.flatMap((file) => {
    const { program } = parse(file, readFileSync(path.join(SOURCES, file), "utf8"));
    return [...walk(program)].map(({ node }) => ({ file, node }));
  });
  return {
    strings: new Set(
      visits.flatMap(({ node }) => {
        const [head] = node.type === "TemplateLiteral" ? childrenOf(node, "quasis") : [];
        const value = head?.value as { cooked: string } | undefined;
        return value ? [`${value.cooked}…`] : [textOf(node) ?? []].flat();
      }),
    ),
    errors: visits.flatMap(({ file, node }) => {
      if (nameOf(node.callee) !== "localError") return [];
      const [code, reason] = childrenOf(node, "arguments");
      return [{ file, code: textOf(code), hasSentence: /^(Template)?Literal$/.test(reason?.type ?? "") }];
    }),
    calls: visits.flatMap(({ file, node }) => {
      const [first, second, ...more] = childrenOf(node, "arguments");
      const name = node.type === "CallExpression" ? textOf(first) : null;
      const facts = second ? propertiesOf(second) : [];
      return name === null || facts === null || more.length > 0 ? [] : [{ file, name, facts }];
    }),
  };
}

/** Returns the names in an object literal; null for another expression, or if it spreads another object. */
function propertiesOf(node: ReturnType<typeof childrenOf>[number]): string[] | null {
  const properties = childrenOf(node, "properties");
  const names = properties.flatMap(({ key }) => (isNode(key) ? [nameOf(key) ?? textOf(key) ?? ""] : []));
  return node.type === "ObjectExpression" && names.length === properties.length ? names : null;
}
