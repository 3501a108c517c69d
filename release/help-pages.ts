/** Makes the owner's pages of `docs/` into static HTML, which the daemon serves at `/help`. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { anchorOf, htmlOf } from "./markdown.ts";

const DOCS = path.join(import.meta.dirname, "../docs");

/** Pages for what owners want to do, in the order of the index. */
export const TASK_PAGES = [
  "prices-in-home-assistant",
  "dishwasher",
  "car",
  "switch-a-plug",
  "silent-plug",
  "notifications",
  "wall",
  "other-programs",
  "coming-from",
  "backup",
] as const;

/** Pages for owners. The others are for developers and operators of many homes. */
export const HELP_PAGES = [
  ...TASK_PAGES,
  "install",
  "configuration",
  "plans",
  "plugs",
  "home-assistant",
  "home-assistant-entities",
  "operations",
  "security",
  "mqtt",
  "monitoring",
] as const;

/** Names of the pages that are also in `docs/da`, in the order of the index. What is not there is in English. */
export const DANISH_PAGES: readonly string[] = TASK_PAGES.filter((name) =>
  readdirSync(path.join(DOCS, "da")).includes(`${name}.md`),
);

type Page = { readonly name: string; readonly text: string };

/** Returns the files of the help by name. Its pages link to each other; links to other files become plain text. */
export function helpFiles(): Readonly<Record<string, string>> {
  const read = (folder: string) => (name: string) => ({
    name,
    text: readFileSync(path.join(DOCS, folder, `${name}.md`), "utf8"),
  });
  const [pages, danish] = [HELP_PAGES.map(read("")), DANISH_PAGES.map(read("da"))];
  return Object.fromEntries([
    ...pages.map(({ name, text }) => [`${name}.html`, page("en", name, text)]),
    ...danish.map(({ name, text }) => [`da-${name}.html`, page("da", name, text)]),
    ["index.html", page("en", "", indexOf("Help", pages))],
    ["da.html", page("da", "", indexOf("Hjælp", danish))],
  ]);
}

/** Returns where a link of the documentation leads in the help; null if its target is not part of the help. */
function helpLink(language: "en" | "da"): (target: string) => string | null {
  return (target) => {
    if (/^(https?:|#)/.test(target)) return target;
    const [, up, name = "", anchor = ""] = /^(\.\.\/)?([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
    if (language === "da" && up === undefined) return `da-${name}${anchor}`;
    return HELP_PAGES.some((each) => each === name) ? `${name}${anchor}` : null;
  };
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "";
}

function indexOf(heading: string, pages: readonly Page[]): string {
  const entries = pages.map(({ name, text }) => {
    const [, title = "", about = ""] = /^# (.+)\n\n(.+)\n/.exec(text) ?? [];
    const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, part = ""]) => `[${part}](${name}.md#${anchorOf(part)})`);
    return `## [${title}](${name}.md)\n\n${about}\n\n${parts.join(" · ")}`;
  });
  return `# ${heading}\n\n${entries.join("\n\n")}\n`;
}

/** Returns a page with links to the index and to the same page in the other language; `name` is empty for the index. */
function page(language: "en" | "da", name: string, text: string): string {
  const isDanish = language === "da";
  const other = isDanish ? name || "./" : name ? `da-${name}` : "da";
  const link = `<a href="${other}" lang="${isDanish ? "en" : "da"}">${isDanish ? "English" : "Dansk"}</a>`;
  const hasOther = name === "" || DANISH_PAGES.includes(name);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(text)} – elbro</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/help.css">
</head>
<body>
<nav><a href="../">elbro</a> ${isDanish ? '<a href="da">Hjælp</a>' : '<a href="./">Help</a>'}${hasOther ? ` ${link}` : ""}</nav>
<main>
${htmlOf(text, helpLink(language))}</main>
</body>
</html>
`;
}
