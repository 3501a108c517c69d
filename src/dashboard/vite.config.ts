/**
 * Serves the dashboard's sources with hot replacement, in front of a demo daemon: `npm run dev`. The page that is
 * installed is built by rolldown.config.ts.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import prefresh from "@prefresh/vite";
import { defineConfig, type Plugin } from "vite";
import { withEnglish } from "../core/text/fill-text.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const SOURCE = path.join(ROOT, "src");
const I18N = path.join(SOURCE, "i18n");
const PORT = process.env.ELBRO_API_PORT ?? "8080";
const DAEMON = { port: PORT, url: `http://127.0.0.1:${PORT}`, key: "demo" };
const RETRY_MS = 100;
/** Sources of the built files in index.html whose names differ. */
const SOURCES: Readonly<Record<string, string>> = { "early.js": "store/early.ts", "app.js": "app.tsx" };

/** Replaces the built files in index.html by their sources. */
function fromSources(): Plugin {
  const handler = (html: string) =>
    html.replaceAll(/"assets\/([\w.-]+)"/g, (_, name: string) => `"${SOURCES[name] ?? name}"`);
  return { name: "from-sources", transformIndexHtml: { order: "pre", handler } };
}

/**
 * Serves a part of the texts, `texts-da-page.json`, as a file of its own. A text that another language lacks is English
 * after a mark. Loads the page again when a text changed.
 */
function withTexts(): Plugin {
  return {
    name: "with-texts",
    configureServer({ middlewares, watcher, ws }) {
      middlewares.use(({ url = "" }, response, next) => {
        const [, language, subject = ""] = /\/texts-(\w+)-(\w+)\.json$/.exec(url) ?? [];
        if (language === undefined) return next();
        const read = (code: string) => JSON.parse(readFileSync(path.join(I18N, `${code}.json`), "utf8"))[subject];
        const texts = withEnglish(read(language), read("en"), (text) => `[en] ${text}`);
        response.setHeader("Content-Type", "application/json").end(JSON.stringify(texts));
      });
      watcher.add(I18N).on("change", (file) => {
        if (file.startsWith(I18N)) ws.send({ type: "full-reload" });
      });
    },
  };
}

/** Runs the demo behind the page, from its start to its end. A changed source of it starts it again with its data. */
function withDaemon(): Plugin {
  const ownDir = process.env.ELBRO_DATA_DIR;
  const dataDir = ownDir ?? mkdtempSync(path.join(tmpdir(), "elbro-dev-"));
  const start = () =>
    spawn(process.execPath, ["src/main.ts"], {
      ...{ cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] },
      env: {
        ...{ ELBRO_LOG_FORMAT: "text", ...process.env },
        ...{ ELBRO_API_PORT: DAEMON.port, ELBRO_DATA_DIR: dataDir },
      },
    });
  return {
    name: "with-daemon",
    async configureServer({ httpServer, config, watcher }) {
      let daemon = start();
      const end = () => {
        daemon.removeAllListeners("exit");
        daemon.kill(ownDir === undefined ? "SIGKILL" : "SIGTERM");
        if (ownDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      };
      httpServer?.once("close", end);
      process.once("exit", end);
      const answers = () =>
        fetch(`${DAEMON.url}/livez`).then(
          () => true,
          () => false,
        );
      while (!(await answers())) {
        if (daemon.exitCode !== null) throw new Error("the demo daemon ended; its message is above");
        await pause(RETRY_MS);
      }
      watcher.add(SOURCE).on("change", (file) => {
        const isOfDaemon = file.startsWith(SOURCE) && !file.startsWith(`${import.meta.dirname}${path.sep}`);
        if (!isOfDaemon || !file.endsWith(".ts") || daemon.killed) return;
        // It ends in order, so that no data is lost, unless it has ended with a mistake.
        if (daemon.exitCode === null) daemon.once("exit", () => (daemon = start())).kill();
        else daemon = start();
      });
      config.logger.info(`\npage with hot replacement, logged in: add #key=${DAEMON.key} to the address below`);
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: path.join(ROOT, "node_modules/.cache/vite"),
  // The refresh of components has another default than tsconfig.json.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [await prefresh(), fromSources(), withTexts(), withDaemon()],
  optimizeDeps: { entries: ["app.tsx"] },
  server: {
    fs: { allow: [ROOT] },
    proxy: {
      "^/(local|consumer|thirdParty|docs|events|metrics|healthz|livez|openapi.json)\\b": { target: DAEMON.url },
    },
  },
});
