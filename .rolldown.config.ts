import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "rolldown";
import { minify } from "rolldown/utils";

/** A module that is left out: everything it exports throws if it is called after all. */
const unreached = (path: string) => `
const leftOut = () => { throw new Error(${JSON.stringify(`left out of the bundle: ${path}`)}); };
module.exports = new Proxy(leftOut, { get: (_, key) => (key === "__esModule" ? undefined : leftOut) });`;

/**
 * Parts of libraries that this program never reaches, by the end of their path, and what stands in their place.
 * What is never loaded costs no start and no memory; what is never shipped, no download to a Pi.
 */
const REPLACED: readonly (readonly [RegExp, (path: string) => string])[] = [
  // MQTT.js in browsers.
  [/worker-timers\//, unreached],
  // A broker of MQTT 5 may offer topic aliases; the client is not told to use them.
  [/mqtt\/build\/lib\/topic-alias-send\.js$/, () => "exports.__esModule = true; exports.default = class {};"],
  // The client's own version, of which nothing but its debug log tells.
  [/mqtt\/package\.json$/, () => "{}"],
  // debug looks whether it is in a browser, and for colours of a terminal, on disk too; without DEBUG it says nothing.
  [/debug\/src\/index\.js$/, () => `module.exports = process.env.DEBUG ? require("./node.js") : () => () => {};`],
  // pino's worker threads, and logs of several streams: logs are written by the process itself, to one.
  [/pino\/lib\/transport\.js$/, unreached],
  [/pino\/lib\/multistream\.js$/, unreached],
  // pino takes words out of logs where it is given their paths; here nothing is logged that would have to be taken out.
  [/@pinojs\/redact\//, unreached],
  // The check of routes by regular expression: there are none but find-my-way's own.
  [/safe-regex2\//, () => "module.exports = () => true;"],
  // find-my-way makes code of routes, and pictures of them, for those who call `compile` and `prettyPrint`.
  [/find-my-way\/lib\/compiler\.js$/, unreached],
  [/find-my-way\/lib\/pretty-print\.js$/, unreached],
  // Its reading of queries: each router is given another.
  [/fast-querystring\//, unreached],
  // Subscriptions in C++, for who hands the addon over.
  [/qlobber\/lib\/wrap_native\.js$/, unreached],
  // Both ends of WebSocket are told `perMessageDeflate: false`: none is offered, and none that is offered is taken.
  [/ws\/lib\/permessage-deflate\.js$/, () => `module.exports = { extensionName: "permessage-deflate" };`],
  [/ws\/lib\/extension\.js$/, unreached],
];

/** Parts of Node that libraries load for little, and what has the little ready and the rest when it is asked for. */
const WHEN_USED: Readonly<Record<string, string>> = {
  // What holds needs no assertion error, nor the coloured differences that Node loads with it.
  assert: `
module.exports = new Proxy((value, ...more) => value || require("node:assert")(value, ...more), {
  get: (_, key) => require("node:assert")[key],
});`,
  // pino asks whether it is in the main thread.
  worker_threads: `
module.exports = new Proxy({ isMainThread: true }, {
  get: (known, key) => known[key] ?? require("node:worker_threads")[key],
});`,
};

const WHEN_USED_PREFIX = "when-used:";

function withReplacements(): Plugin {
  const missing = new Set(REPLACED);
  return {
    name: "with-replacements",
    resolveId(source, importer) {
      const name = source.replace(/^node:/, "");
      return Object.hasOwn(WHEN_USED, name) && importer?.includes("node_modules") ? `${WHEN_USED_PREFIX}${name}` : null;
    },
    load(id) {
      if (id.startsWith(WHEN_USED_PREFIX)) return WHEN_USED[id.slice(WHEN_USED_PREFIX.length)] ?? null;
      const path = id.replaceAll("\\", "/");
      const replaced = REPLACED.find(([pattern]) => pattern.test(path));
      if (!replaced) return null;
      missing.delete(replaced);
      return replaced[1](path.split("node_modules/").at(-1) ?? path);
    },
    // A library may have moved the code to where it is shipped after all.
    generateBundle() {
      for (const [pattern] of missing) this.error(`there is no module ${pattern} to replace`);
    },
  };
}

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
  plugins: [withReplacements(), withPages()],
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
