/** Checks of a page: cut text, overlapping text, small touch targets, and violations of axe rules. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Screen } from "./screen.ts";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Finds elements that are wider than the screen or whose text is cut. */
export const MISFITS = `(() => {
  const found = [];
  const name = (element) => element.tagName + "." + element.className + " " + element.textContent.slice(0, 40);
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) found.push("the page is " + document.documentElement.scrollWidth + " wide");
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest(".unseen, [hidden], svg, noscript") || !element.checkVisibility()) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0) continue;
    if (box.right > wide + 1 || box.left < -1) found.push("beyond the screen: " + name(element));
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (isText && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline") found.push("cut: " + name(element));
  }
  return found;
})()`;

/** Finds texts that overlap. */
export const OVERLAPS = `(() => {
  const found = [];
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (node.textContent.trim() === "" || parent.closest(".unseen, [hidden], option, .plot svg") || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1) texts.push([box, node.textContent.trim()]);
  }
  for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
    const [a, one] = texts[i], [b, other] = texts[j];
    const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (x > 2 && y > Math.min(a.height, b.height) * 0.35) found.push(one + " | " + other);
  }
  return found;
})()`;

/** Finds buttons, but for those named by the owner, and times in tables, that take more than one line. */
export const WRAPPED = `[...document.querySelectorAll("button:not(.plan-open, .templates button), .download, .table .whole")]
  .filter((element) => element.checkVisibility() && element.textContent.trim() !== "")
  .filter((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const tops = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top, bottom }) => (top + bottom) / 2);
    return Math.max(...tops) - Math.min(...tops) > 12;
  })
  .map((element) => element.textContent)`;

/** Finds interactive elements smaller than 44 x 44 CSS pixels, with 0.5 px tolerance. */
export const SMALL_TARGETS = `[...document.querySelectorAll("a, button, input, select, summary, .choice label, label.switch")]
  .filter((element) => element.checkVisibility() && !element.closest(".unseen, [hidden]"))
  .map((element) => [element.closest("label") ?? element, element])
  .map(([place, element]) => [place.getBoundingClientRect(), (element.getAttribute("aria-label") ?? element.textContent ?? element.name).slice(0, 30)])
  .filter(([box]) => box.width > 0 && (box.height < 43.5 || box.width < 43.5))
  .map(([box, name]) => name + " " + Math.round(box.width) + "x" + Math.round(box.height))`;

/** What axe checks, and that it describes nothing but violations, which takes half of the time. */
const AXE_OPTIONS = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
  selectors: false,
  preload: false,
  iframes: false,
};

/** The rules of axe whose results depend on the colour scheme. */
export const COLOUR_RULES: readonly string[] = ["color-contrast", "link-in-text-block"];

/** In the page: returns the failures as texts. Playwright takes longer to copy the whole result than axe to find it. */
const TOLD = `({ violations }) => violations.map(
  ({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("; "))`;

/** Returns the axe rules that the page violates, each with the elements. */
export async function axeViolations(
  { page }: Pick<Screen, "page">,
  runOnly: readonly string[] = AXE_OPTIONS.runOnly,
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axeSource);
  return page.evaluate(`axe.run(document, ${JSON.stringify({ ...AXE_OPTIONS, runOnly })}).then(${TOLD})`);
}

/** Returns the axe rules that the page violates with light or with dark colours, and leaves it light. */
export async function violationsInBothSchemes(screen: Pick<Screen, "page">): Promise<string[]> {
  await screen.page.emulateMedia({ colorScheme: "dark" });
  const dark = await axeViolations(screen, COLOUR_RULES);
  await screen.page.emulateMedia({ colorScheme: "light" });
  return [...dark, ...(await axeViolations(screen))];
}
