/**
 * `npm run lab -- site`: builds the documentation as a site of static files in `build/site/dist`, with search, from
 * `docs/` and README.md. VitePress is in .ci/packages/site.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DANISH_PAGES, TASK_PAGES } from "./help-pages.ts";

const ROOT = path.join(import.meta.dirname, "..");
const SITE = path.join(ROOT, "build/site");
const PACKAGES = path.join(ROOT, "build/packages/site/node_modules");

/** Pages by who reads them, in the order of the side bar. A test finds pages that are in none. */
export const SITE_PAGES: Readonly<Record<string, readonly string[]>> = {
  Owner: ["install", "kom-i-gang", ...TASK_PAGES, "configuration", "plans", "plugs"],
  "Home Assistant": ["home-assistant", "home-assistant-entities"],
  "Devices and programs": ["mqtt", "http-api", "http-reference"],
  Operations: ["operations", "security", "monitoring", "fleet", "archive"],
  Contributor: ["comparison", "architecture", "publish"],
};

/** Texts of the search and of the frame of the Danish pages; those of the English ones are VitePress' own. */
const DANISH_SEARCH = {
  button: { buttonText: "Søg", buttonAriaLabel: "Søg" },
  modal: {
    ...{ displayDetails: "Vis mere", resetButtonTitle: "Ryd", noResultsText: "Intet fundet for" },
    footer: { navigateText: "gå", selectText: "vælg", closeText: "luk" },
  },
};
const DANISH_THEME = {
  docFooter: { prev: "Forrige side", next: "Næste side" },
  outline: { level: "deep", label: "På denne side" },
  ...{ returnToTopLabel: "Til toppen", sidebarMenuLabel: "Menu", langMenuLabel: "Sprog", darkModeSwitchLabel: "Mørkt" },
};

/** Writes the sources and settings of the site, and builds it. Returns the folder of the static files. */
export function buildSite(): string {
  execFileSync("sh", [".ci/prepare", "site"], { cwd: ROOT, stdio: "inherit" });
  rmSync(SITE, { recursive: true, force: true });
  for (const folder of [".vitepress", "da"]) mkdirSync(path.join(SITE, folder), { recursive: true });
  symlinkSync(PACKAGES, path.join(SITE, "node_modules"));
  cpSync(path.join(ROOT, "docs/images"), path.join(SITE, "images"), { recursive: true });
  for (const name of readdirSync(path.join(ROOT, "docs")).filter((each) => each.endsWith(".md")))
    write(name, forSite(read(`docs/${name}`)));
  for (const name of DANISH_PAGES) write(`da/${name}.md`, forSite(read(`docs/da/${name}.md`)));
  const danish = DANISH_PAGES.map((name) => `- [${titleOf(`da/${name}`)}](${name}.md)`);
  write("da/index.md", `# elbro på dansk\n\n- [Kom i gang](../kom-i-gang.md)\n${danish.join("\n")}\n`);
  write("index.md", forSite(read("README.md")).replaceAll("](docs/", "]("));
  write(".vitepress/config.mjs", `export default ${JSON.stringify(settings(), null, 2)};\n`);
  const bin = path.join(PACKAGES, "vitepress/bin/vitepress.js");
  const dist = path.join(SITE, "dist");
  execFileSync(process.execPath, [bin, "build", SITE, "--outDir", dist], { cwd: SITE, stdio: "inherit" });
  return dist;
}

function settings(): object {
  const sidebar = Object.entries(SITE_PAGES).map(([text, names]) => ({
    text,
    items: names.map((name) => ({ text: titleOf(name), link: `/${name}` })),
  }));
  return {
    title: "elbro",
    description: "Electricity prices, consumption and cheap-hour plans for the house",
    cleanUrls: false,
    // A release knows no address of its own, so that the site works below any path.
    base: process.env.SITE_BASE ?? "/",
    themeConfig: {
      search: { provider: "local", options: { locales: { da: { translations: DANISH_SEARCH } } } },
      ...{ sidebar, outline: "deep" },
    },
    locales: {
      root: { label: "English", lang: "en" },
      da: { label: "Dansk", lang: "da", link: "/da/", themeConfig: { sidebar: danishSidebar(), ...DANISH_THEME } },
    },
  };
}

function danishSidebar(): object {
  const items = DANISH_PAGES.map((name) => ({ text: titleOf(`da/${name}`), link: `/da/${name}` }));
  return [{ text: "Ejer", items: [{ text: titleOf("kom-i-gang"), link: "/kom-i-gang" }, ...items] }];
}

function titleOf(name: string): string {
  return /^# (.+)$/m.exec(read(`docs/${name}.md`))?.[1] ?? name;
}

/**
 * Makes a page safe for the site: placeholders such as `<key>` outside code would be tags, braces would be code of
 * Vue, and files outside of `docs/` are not part of the site.
 */
function forSite(text: string): string {
  return text
    .split(/(^```[\s\S]*?^```|^ +```[\s\S]*?^ +```|`[^`\n]+`)/m)
    .map((part) => (part.startsWith("`") || part.trimStart().startsWith("```") ? part : prose(part)))
    .join("");
}

function prose(text: string): string {
  return text
    .replace(/<(?!!--)/g, "&lt;")
    .replace(
      /\[([^\]]*)\]\((?!https?:|#)(?:\.\.\/)?([\w./-]*?)(#[\w-]*)?\)/g,
      (link, label: string, target: string) => {
        const name = target.replace(/^docs\//, "");
        if (target.startsWith("images/") || target.startsWith("docs/images/")) return link;
        return /^[\w-]+\.md$/.test(name) && existsSync(path.join(ROOT, "docs", name))
          ? link.replace("../docs/", "")
          : label;
      },
    );
}

function read(name: string): string {
  return readFileSync(path.join(ROOT, name), "utf8");
}

function write(name: string, text: string): void {
  writeFileSync(path.join(SITE, name), text);
}
