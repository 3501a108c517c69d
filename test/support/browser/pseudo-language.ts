/**
 * A language for tests: Swedish, in which each text is the English one between marks. Text of the page without marks is
 * not translated.
 */
import type { Page } from "playwright-core";
import type { TextTree } from "../../../src/core/text/fill-text.ts";
import { textFiles } from "../../../src/i18n/texts.ts";

export const PSEUDO_LANGUAGE = "sv-SE";
const MARKS = { start: "⟦", end: "⟧" } as const;

/** Replaces the texts of the daemons in this process. Returns a function that restores them. */
export function usePseudoLanguage(): () => void {
  const before = structuredClone(textFiles.sv);
  replace(textFiles.sv, marked(textFiles.en));
  return () => replace(textFiles.sv, before);
}

/** Replaces the texts that a page loads, while `usePseudoLanguage` is in effect. */
export async function routePseudoTexts(page: Page): Promise<void> {
  await page.route("**/texts-*.json", async (route) => {
    const [, subject = ""] = /texts-\w+-(\w+)\.json/.exec(route.request().url()) ?? [];
    await route.fulfill({ json: Object.entries(textFiles.sv).find(([name]) => name === subject)?.[1] });
  });
}

function marked(tree: object): object {
  const texts = Object.entries(tree as Record<string, TextTree>);
  return Object.fromEntries(
    texts.map(([name, below]) => [
      name,
      typeof below === "string" ? `${MARKS.start}${below}${MARKS.end}` : marked(below),
    ]),
  );
}

/** Replaces the texts in a tree, whose objects stay the same. Texts that English lacks become marked too. */
function replace(tree: object, by: object): void {
  for (const [name, below] of Object.entries(tree)) {
    const other = (by as Record<string, unknown>)[name];
    if (typeof below === "object") replace(below, (other ?? {}) as object);
    else Object.assign(tree, { [name]: other ?? `${MARKS.start}${below}${MARKS.end}` });
  }
}

/** Parts of a page that are English, or the name of something, in every language. */
const SKIPPED = "script, style, code, .log, .plot svg, option[lang], noscript, textarea";

/** Returns each text and label of a page in the order of its elements. */
const TEXTS = `(() => {
  const found = [];
  const isSkipped = (element) => element.closest(${JSON.stringify(SKIPPED)}) !== null;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!isSkipped(walker.currentNode.parentElement)) found.push(walker.currentNode.data);
  for (const element of document.querySelectorAll("body *"))
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      if (!isSkipped(element) && element.hasAttribute(name)) found.push(element.getAttribute(name));
  return [document.title, ...found];
})()`;

/** Returns what the page shows outside of marks, except numbers, addresses of devices and these names. */
export async function untranslated(page: Page, names: readonly string[]): Promise<string[]> {
  const texts: string[] = await page.evaluate(TEXTS);
  const known = [...names, ...DATE_WORDS].toSorted((a, b) => b.length - a.length);
  const left = texts.filter((text) => {
    const outside = known.reduce((rest, name) => rest.replaceAll(name, ""), withoutMarked(text));
    if (URL.canParse(outside.trim())) return false;
    return /\p{L}{3}/u.test(outside);
  });
  return [...new Set(left)];
}

/** Returns a text without its marked parts, which may contain each other. */
function withoutMarked(text: string): string {
  const shorter = text.replace(/⟦[^⟦⟧]*⟧/g, "");
  return shorter === text ? text : withoutMarked(shorter);
}

/** Words of dates, times and amounts, which browsers write. */
const DATE_WORDS: readonly string[] = ["för", "sen", "min", "tim", "sek", "om", "Dkr", ...namesOfDates()];

function namesOfDates(): string[] {
  const names = (at: number) =>
    (["short", "long"] as const).flatMap((style) => [
      new Intl.DateTimeFormat(PSEUDO_LANGUAGE, { month: style }).format(at),
      new Intl.DateTimeFormat(PSEUDO_LANGUAGE, { weekday: style }).format(at),
    ]);
  const months = Array.from({ length: 12 }, (_, i) => Date.UTC(2026, i, 2, 12));
  const days = Array.from({ length: 7 }, (_, i) => Date.UTC(2026, 0, 1 + i, 12));
  return [...months, ...days]
    .flatMap(names)
    .flatMap((name) => [name, `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`]);
}
