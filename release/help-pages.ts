/** Makes the owner's pages of `docs/` into static HTML, which the daemon serves at `/help`. */
import { readFileSync } from "node:fs";
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

/** Returns the files of the help by name. Its pages link to each other; links to other files become plain text. */
export function helpFiles(): Readonly<Record<string, string>> {
  const pages = HELP_PAGES.map((name) => ({ name, text: readFileSync(path.join(DOCS, `${name}.md`), "utf8") }));
  const files = pages.map(({ name, text }) => [`${name}.html`, page(titleOf(text), htmlOf(text, helpLink))]);
  return Object.fromEntries([...files, ["index.html", page("Help", indexOf(pages))]]);
}

/** Returns where a link of the documentation leads in the help; null if its target is not part of the help. */
function helpLink(target: string): string | null {
  if (/^(https?:|#)/.test(target)) return target;
  const [, name, anchor = ""] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
  return HELP_PAGES.some((each) => each === name) ? `${name}${anchor}` : null;
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "";
}

function indexOf(pages: readonly { readonly name: string; readonly text: string }[]): string {
  const entries = pages.map(({ name, text }) => {
    const [, title = "", about = ""] = /^# (.+)\n\n(.+)\n/.exec(text) ?? [];
    const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, part = ""]) => `[${part}](${name}.md#${anchorOf(part)})`);
    return `## [${title}](${name}.md)\n\n${about}\n\n${parts.join(" · ")}`;
  });
  return htmlOf(`# Help\n\n${entries.join("\n\n")}\n`, helpLink);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – elbro</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/help.css">
</head>
<body>
<nav><a href="../">elbro</a> <a href="./">Help</a></nav>
<main>
${body}</main>
</body>
</html>
`;
}
