import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "rolldown";
import { minify } from "rolldown/utils";

const MAIN = new URL("./src/main.ts", import.meta.url).pathname;
const DASHBOARD = new URL("./src/dashboard/", import.meta.url);
const API_DOCS = new URL("./src/api-docs/", import.meta.url);
const UPLOT = new URL("./node_modules/uplot/dist/", import.meta.url);

/** The pages beside the program: their files as they are, but for white space, and the chart library as one more. */
function withPages(): Plugin {
  return {
    name: "with-pages",
    async generateBundle() {
      const files = readdirSync(DASHBOARD).map((name) => [name, new URL(name, DASHBOARD)] as const);
      const library = [
        ["uplot.js", new URL("uPlot.esm.js", UPLOT)],
        ["uplot.css", new URL("uPlot.min.css", UPLOT)],
      ] as const;
      const docs = readdirSync(API_DOCS).map((name) => [`api-docs/${name}`, new URL(name, API_DOCS)] as const);
      const pages = [...files, ...library].map(([name, url]) => [`dashboard/${name}`, url] as const);
      for (const [fileName, url] of [...pages, ...docs]) {
        const text = readFileSync(url, "utf8");
        const source = fileName.endsWith(".js") ? (await minify(fileName, text)).code : text;
        this.emitFile({ type: "asset", fileName, source });
      }
    },
  };
}

type Modules = { getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null };

/** Whether the program needs a module to start: nothing but static imports lead to it from its first file. */
function neededToStart(): (id: string, modules: Modules) => boolean {
  let needed: Set<string> | null = null;
  return (id, modules) => {
    if (!needed) {
      needed = new Set([MAIN]);
      // A set is walked to its end, what is added on the way included.
      for (const each of needed) for (const next of modules.getModuleInfo(each)?.importedIds ?? []) needed.add(next);
    }
    return needed.has(id);
  };
}

/**
 * First statement of the program: an older Node would only report that node:sqlite is missing, or ignore the proxy
 * settings. Exit code: EX_CONFIG of sysexits.
 */
const NODE_CHECK = `{
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 24 || (major === 24 && minor < 5)) {
    console.error("elbro: this is Node " + process.versions.node + "; elbro needs Node 24.5 or later");
    process.exit(78);
  }
}`;

const isNeededToStart = neededToStart();

/**
 * One CommonJS program, with parts beside it. CommonJS on purpose: an ESM import of node:http makes Node load its internal undici, 12 MB and
 * 21 ms that nothing here uses.
 */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  // An older Node parses the whole file before it runs the check. ES2022 is what Node 16.11 and later parse.
  transform: { target: "es2022" },
  preserveEntrySignatures: "allow-extension",
  resolve: {
    alias: {
      // The same code as Node's own streams, loaded twice otherwise: 6 MB and 27 ms.
      "readable-stream": "node:stream",
      // The same library as modules instead of CommonJS, so that some of it can be left out.
      yaml: new URL("./node_modules/yaml/browser/dist/index.js", import.meta.url).pathname,
    },
  },
  plugins: [withPages()],
  // What is loaded only when it is used (broker inside, demo, HTTP client, WebSocket, proxy) stands in files of its own:
  // in one file, what these parts load of Node would be loaded at every start, 4 MB of it.
  output: {
    dir: "dist",
    // Parts of an earlier build would be installed with it.
    cleanDir: true,
    entryFileNames: "elbro.cjs",
    chunkFileNames: "[name].cjs",
    // Left to itself, what a later part shares with the start becomes a file of its own: fifteen to open at every start.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: "start", name: (id, modules) => (isNeededToStart(id, modules) ? "start" : null) }],
    },
    format: "cjs",
    // `require` also for the parts: `import()` would load Node's ESM loader.
    dynamicImportInCjs: false,
    postBanner: ({ isEntry }) => (isEntry ? NODE_CHECK : ""),
    minify: true,
    comments: false,
  },
});
