import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "rolldown";
import { minify } from "rolldown/utils";

const DASHBOARD = new URL("./src/server/web/dashboard/", import.meta.url);
const API_DOCS = new URL("./src/server/web/api-docs/", import.meta.url);
const UPLOT = new URL("./node_modules/uplot/dist/", import.meta.url);

/** Writes the files of the pages, scripts minified, and the chart library next to the program. */
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

/**
 * One CommonJS program with chunks next to it. An ESM import of node:http would make Node load its internal undici: 12 MB
 * and 21 ms.
 */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  // An older Node parses the whole file before it runs the check. ES2022 is what Node 16.11 and later parse.
  // The define is the one that undici's own script `build:node` sets: one HTTP parser instead of two (165 kB).
  transform: { target: "es2022", define: { esbuildDetection: '"rolldown"' } },
  preserveEntrySignatures: "allow-extension",
  resolve: {
    // A library without `exports` gives its module build, if it has one, so that unused code can be left out (24 kB).
    mainFields: ["module", "main"],
    alias: {
      // The same code as Node's own streams, which would be loaded twice: 6 MB and 27 ms.
      "readable-stream": "node:stream",
      // Ours and mqtt's: by default `import` and `require` would each bring a build of the same library (16 kB).
      "lru-cache": new URL("./node_modules/lru-cache/dist/esm/index.js", import.meta.url).pathname,
      // Undici has its parser twice, for processors with SIMD and for any; the one for any is enough for some requests a day
      // (72 kB). Undici itself takes it with UNDICI_NO_WASM_SIMD.
      "../llhttp/llhttp_simd-wasm.js": new URL("./node_modules/undici/lib/llhttp/llhttp-wasm.js", import.meta.url)
        .pathname,
      // The module build of the same library, so that unused code can be left out.
      yaml: new URL("./node_modules/yaml/browser/dist/index.js", import.meta.url).pathname,
    },
  },
  plugins: [withPages()],
  // Dynamic imports (embedded broker, demo, HTTP client, WebSocket, LAN API) become files of their own. In one file, all
  // modules of Node that they use would be loaded at every start: 4 MB.
  output: {
    dir: "dist",
    // Files of an earlier build would be installed with it.
    cleanDir: true,
    entryFileNames: "elbro.cjs",
    chunkFileNames: "[name].cjs",
    // One file for all that a start loads; by default each module that a later part shares with it becomes a file.
    codeSplitting: { groups: [{ name: "start", tags: ["$initial"] }] },
    format: "cjs",
    // `require` also for the chunks: `import()` would load Node's ESM loader.
    dynamicImportInCjs: false,
    postBanner: ({ isEntry }) => (isEntry ? NODE_CHECK : ""),
    minify: true,
    comments: false,
  },
});
