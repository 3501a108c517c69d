import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { build, defineConfig, type OutputChunk, type Plugin } from "rolldown";
import { minify } from "rolldown/utils";
import { helpFiles } from "./release/help-pages.ts";
import { packageFiles } from "./release/package-files.ts";
import {
  dashboardSubjects,
  fillText,
  generatedSubjects,
  type PartialTexts,
  type Texts,
  type TextTree,
  withEnglish,
} from "./src/core/text/fill-text.ts";
import { languages } from "./src/i18n/languages.ts";
import { textFiles } from "./src/i18n/texts.ts";

/** The oldest browsers of the dashboard. */
const { browserslist }: { browserslist: readonly string[] } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "package.json"), "utf8"),
);
const DASHBOARD = path.join(import.meta.dirname, "src/dashboard");
const API_DOCS = path.join(import.meta.dirname, "src/api/api-docs");
const HELP_STYLE = path.join(import.meta.dirname, "src/api/help/help.css");
const MDNS_THREAD = path.join(import.meta.dirname, "src/integrations/mdns/mdns-thread.ts");

/** Files of the dashboard besides its scripts and styles. */
const DASHBOARD_FILES = ["index.html", "app.webmanifest", "icon.svg"];
/** Icons of the installed page, for systems that show no SVG. */
const ICONS = ["icon-192.png", "icon-512.png"];
/** The service worker, a file of its own. */
const WORKER = "worker.js";
/** Styles, joined into one file. HTTP/1.1 loads six files at a time, and the first view needs no more. */
const STYLES = path.join(DASHBOARD, "page.css");

/** Subjects of the daemon's errors, which the dashboard loads after the first one. */
const SHARED_TEXTS = ["mistake", "refused"] as const;

/** Subjects that the daemon reads from a file for each language. */
const isOfDaemon = (subject: string): boolean =>
  ![...dashboardSubjects, ...generatedSubjects, ...SHARED_TEXTS].some((other) => other === subject);

/** Makes the daemon read texts when it shows them. In the program they would cost memory and time at each start. */
function withTextFiles(): Plugin {
  return {
    name: "with-text-files",
    transform: {
      filter: { id: /\/src\/i18n\/\w+\.json$/ },
      handler: (code, id) => {
        const { name } = path.parse(id);
        const subjects = Object.keys(JSON.parse(code)).filter(isOfDaemon);
        const member = (subject: string, file: string, part = "") =>
          `get ${subject}() { return read("${file}")${part}; },`;
        const members = [
          ...subjects.map((subject) => member(subject, `texts-${name}.json`, `.${subject}`)),
          ...SHARED_TEXTS.map((subject) => member(subject, `dashboard/texts-${name}-${subject}.json`)),
        ];
        const script = `import { readFileSync } from "node:fs";
          import path from "node:path";
          const known = {};
          const read = (file) => known[file] ??= JSON.parse(readFileSync(path.join(__dirname, file), "utf8"));
          export default { ${members.join("\n")} };`;
        return { code: script, moduleType: "js" };
      },
    },
    generateBundle() {
      for (const language of languages) {
        const texts = Object.entries<object>(textFiles[language]).filter(([subject]) => isOfDaemon(subject));
        const source = JSON.stringify(Object.fromEntries(texts));
        this.emitFile({ type: "asset", fileName: `texts-${language}.json`, source });
      }
    },
  };
}

/**
 * Shortens modules of which elbro uses little: find-my-way's check of patterns in routes, of which elbro has none, and the
 * package of mqtt, whose version is read.
 */
function withoutUnused(): Plugin {
  return {
    name: "without-unused",
    transform: {
      filter: { id: /\/node_modules\/(safe-regex2\/index\.js|mqtt\/package\.json)$/ },
      handler: (code, id) =>
        id.endsWith(".js") ? "module.exports = () => true;" : JSON.stringify({ version: JSON.parse(code).version }),
    },
  };
}

/** Escapes characters beyond Latin-1 in literals. With one of them, V8 keeps a whole file in two bytes per character. */
function inLatin1(): Plugin {
  return {
    name: "in-latin-1",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === "chunk")
          file.code = file.code.replace(
            /[^\0-\xff]/g,
            (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
          );
    },
  };
}

/** Writes the pages that browsers get, minified, next to the program. */
function withPages(): Plugin {
  return {
    name: "with-pages",
    async generateBundle() {
      const emit = (fileName: string, source: string | Uint8Array) =>
        this.emitFile({ type: "asset", fileName, source });
      const scripts = await dashboardScripts();
      for (const { fileName, code } of scripts) emit(`dashboard/${fileName}`, code);
      for (const name of DASHBOARD_FILES) {
        const text = read(path.join(DASHBOARD, name));
        emit(
          `dashboard/${name}`,
          name === "index.html" ? withOldBrowsers(withPreloads(text, scripts)) : minifiedText(name, text),
        );
      }
      emit(`dashboard/${WORKER}`, (await minify(WORKER, read(path.join(DASHBOARD, WORKER)))).code);
      for (const name of ICONS) emit(`dashboard/${name}`, readFileSync(path.join(DASHBOARD, name)));
      for (const language of languages)
        for (const subject of [...dashboardSubjects, ...SHARED_TEXTS])
          emit(`dashboard/texts-${language}-${subject}.json`, JSON.stringify(textsOf(subject, language)));
      emit("dashboard/page.css", minifiedText(STYLES, withImports(STYLES)));
      for (const [name, text] of Object.entries(helpFiles())) emit(`help/${name}`, shortened(text));
      emit("help/help.css", minifiedText("help.css", read(HELP_STYLE)));
      for (const name of readdirSync(API_DOCS)) {
        const text = read(path.join(API_DOCS, name));
        emit(`api-docs/${name}`, name.endsWith(".js") ? (await minify(name, text)).code : minifiedText(name, text));
      }
    },
  };
}

/** Returns the texts of a subject as a page loads them. What the language lacks is English. */
function textsOf(subject: keyof Texts, language: (typeof languages)[number]): TextTree {
  const texts: PartialTexts = textFiles[language];
  return withEnglish(texts[subject] as TextTree | undefined, textFiles.en[subject]);
}

function read(file: string): string {
  return readFileSync(file, "utf8");
}

/** Returns the text of a style with the files that it imports. */
function withImports(file: string): string {
  return read(file).replace(/@import "(.+)";/g, (_, name: string) => read(path.join(path.dirname(file), name)));
}

/** Returns HTML without what may be left out: these end tags, and the escapes of quotation marks in texts. Together 28 kB. */
function shortened(html: string): string {
  const tags = html
    .replace(/<\/(td|th|tr|li|p|thead|tbody)>/g, "")
    .replace(/\n+(?=<(tr|tbody|\/table|li|p|h\d|div|\/?ul))/g, "");
  return tags.replace(/>[^<]+/g, (text) => text.replaceAll("&quot;", '"'));
}

/** Returns CSS without comments, spaces around punctuation, and last semicolons, and any other text unchanged. */
function minifiedText(name: string, text: string): string {
  if (!name.endsWith(".css")) return text;
  const words = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\s+/g, " ");
  return words
    .replace(/"[^"]*"|([{};:,]) | (?=[{}])/g, (all, mark) => mark ?? (all === " " ? "" : all))
    .replace(/;}/g, "}");
}

/** Modules of the pages and of the mDNS thread, which have builds of their own. */
const modules = new Set<string>();

/** Makes the build a package for npm. */
function asPackage(): Plugin {
  return {
    name: "as-package",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const files = packageFiles([...modules, ...chunks.flatMap(({ moduleIds }) => moduleIds)]);
      for (const [fileName, source] of Object.entries(files)) this.emitFile({ type: "asset", fileName, source });
    },
  };
}

/** Writes the program of the thread that announces by mDNS, in one file. */
function withMdnsThread(): Plugin {
  return {
    name: "with-mdns-thread",
    async generateBundle() {
      const { output } = await build({
        input: MDNS_THREAD,
        platform: "node",
        // Source maps of stack traces, which ciao loads and does not have.
        resolve: { alias: { "source-map-support/register": false } },
        write: false,
        output: { format: "cjs", minify: true, comments: false },
      });
      for (const id of output[0].moduleIds) modules.add(id);
      this.emitFile({ type: "asset", fileName: "mdns-thread.cjs", source: output[0].code });
    },
  };
}

/** Adds a preload link for every script that an entry imports, so that the browser loads them at the same time. */
function withPreloads(html: string, scripts: readonly OutputChunk[]): string {
  const names = new Set(scripts.filter(({ isEntry }) => isEntry).flatMap(({ imports }) => imports));
  const links = [...names].map((name) => `<link rel="modulepreload" href="assets/${name}" />`);
  return html.replace("<!-- preloads -->", links.join("\n    "));
}

/** Adds the sentence that browsers older than the supported ones show, in all languages: they cannot load the texts. */
function withOldBrowsers(html: string): string {
  const names = browserslist.slice(0, -1).map((name) => name.charAt(0).toUpperCase() + name.slice(1));
  const browsers = names.join(", ");
  const sentences = languages.flatMap((code) => {
    // A new language may not have the text yet.
    const { language }: PartialTexts = textFiles[code];
    return language?.old_browser ? fillText(code, language.old_browser, { browsers }) : [];
  });
  return html.replace('<body class="starting">', `<body class="starting" data-old-browser="${sentences.join(" ")}">`);
}

/**
 * Builds the scripts of the dashboard. `early.js` imports `base.js` and starts the requests. `app.js` imports `view.js`
 * and shows the first view. Every dynamic import becomes a file of its own.
 */
async function dashboardScripts(): Promise<OutputChunk[]> {
  const { output } = await build({
    input: ["store/early.ts", "app.tsx"].map((name) => path.join(DASHBOARD, name)),
    platform: "browser",
    tsconfig: path.join(DASHBOARD, "tsconfig.json"),
    write: false,
    transform: { target: browserslist.map((browser) => browser.replace(" ", "")) },
    output: {
      ...{ format: "esm", minify: true, comments: false },
      ...{ entryFileNames: "[name].js", chunkFileNames: "[name].js" },
      codeSplitting: {
        groups: [
          {
            name: "base",
            test: /preact|dashboard\/(store\/(early|page-store|requests)|words\/language)\.ts|fill-text|core\/language\/language|i18n\/languages/,
            tags: ["$initial"],
            priority: 1,
          },
          { name: "view", tags: ["$initial"] },
        ],
      },
    },
  });
  const chunks = output.filter((file) => file.type === "chunk");
  for (const id of chunks.flatMap(({ moduleIds }) => moduleIds)) modules.add(id);
  return chunks;
}

/**
 * First statement of the program, which rejects older versions of Node. They would only report that node:sqlite is
 * missing, or ignore the proxy settings. Exit code: EX_CONFIG of sysexits.h.
 */
const NODE_CHECK = `#!/usr/bin/env node
{
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 24 || (major === 24 && minor < 5)) {
    console.error("elbro: this is Node " + process.versions.node + "; elbro needs Node 24.5 or later");
    process.exit(78);
  }
}`;

/**
 * Builds a CommonJS program with chunks next to it. An ESM import of node:http would make Node load its internal
 * undici, which costs 12 MB and 21 ms.
 */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  // An older Node parses the whole file before it runs the version check. Node 16.11 and later can parse ES2022.
  // undici's own script `build:node` sets the same define, which omits one of its two HTTP parsers (165 kB).
  transform: { target: "es2022", define: { esbuildDetection: '"rolldown"' } },
  preserveEntrySignatures: "allow-extension",
  resolve: {
    // Use the module build of libraries without `exports`, so that unused code is omitted (24 kB).
    mainFields: ["module", "main"],
    alias: {
      // A copy of Node's streams. Loading them twice would cost 6 MB and 27 ms.
      "readable-stream": "node:stream",
      // By default, our `import` and mqtt's `require` would include two builds of this library (16 kB).
      "lru-cache": path.join(import.meta.dirname, "node_modules/lru-cache/dist/esm/index.js"),
      // Never used: of undici, a second build of its parser, without which it uses the first one, HTTP/2, which elbro
      // does not allow, and forms as bodies; threads, several streams and hidden values of pino; the native client of pg;
      // find-my-way's tree as text; parts for browsers. Together 170 kB.
      "../llhttp/llhttp_simd-wasm.js": false,
      "./client-h2.js": false,
      "../web/fetch/body.js": false,
      "../web/fetch/formdata": false,
      "../web/webidl": false,
      "@pinojs/redact": false,
      "./native": false,
      "./lib/multistream": false,
      "./lib/transport": false,
      "./transport": false,
      "./browser.js": false,
      "./lib/pretty-print": false,
      "worker-timers": false,
      // The module build, so that unused code is omitted.
      yaml: path.join(import.meta.dirname, "node_modules/yaml/browser/dist/index.js"),
    },
  },
  plugins: [withPages(), withMdnsThread(), withTextFiles(), withoutUnused(), inLatin1(), asPackage()],
  // Dynamic imports (embedded broker, demo, HTTP client, WebSocket, LAN API) become files of their own. One single file
  // would load all Node modules that they use at every start, which costs 4 MB.
  output: {
    dir: "dist",
    // Deletes files of earlier builds, which would otherwise be installed.
    cleanDir: true,
    entryFileNames: "elbro.cjs",
    chunkFileNames: "[name].cjs",
    // One file for everything that a start loads. By default, each module shared with a later chunk becomes a file.
    codeSplitting: { groups: [{ name: "start", tags: ["$initial"] }] },
    format: "cjs",
    // Load chunks with `require`, because `import()` would load Node's ESM loader.
    dynamicImportInCjs: false,
    postBanner: ({ isEntry }) => (isEntry ? NODE_CHECK : ""),
    minify: true,
    comments: false,
  },
});
