/**
 * Serves the dashboard's sources with hot replacement, in front of a demo daemon: `npm run dev`. The page that is
 * installed is built by rolldown.config.ts.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { defineConfig, type Plugin } from "vite";
import { withEnglish } from "../core/text/fill-text.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const I18N = path.join(ROOT, "src/i18n");
const PORT = process.env.ELBRO_API_PORT ?? "8080";
const DAEMON = { port: PORT, url: `http://127.0.0.1:${PORT}`, key: "demo" };
const RETRY_MS = 100;
/** Sources of the files in index.html, which names the files of the build. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  "assets/page.css": ["page.css"],
  "assets/early.js": ["store/early.ts"],
  "assets/app.js": ["app.tsx"],
  "assets/icon.svg": ["icon.svg"],
  "assets/app.webmanifest": ["app.webmanifest"],
};

/** Replaces each line of index.html that names a built file by one line for each of its sources. */
function fromSources(): Plugin {
  const linesOf = (line: string) => {
    const built = Object.keys(SOURCES).find((name) => line.includes(`"${name}"`));
    return built === undefined ? [line] : (SOURCES[built] ?? []).map((source) => line.replace(built, source));
  };
  return {
    name: "from-sources",
    transformIndexHtml: { order: "pre", handler: (html) => html.split("\n").flatMap(linesOf).join("\n") },
  };
}

/** Serves a part of the texts, `texts-da-page.json`, as a file of its own. English texts of another language have a mark. */
function withTexts(): Plugin {
  return {
    name: "with-texts",
    configureServer({ middlewares }) {
      middlewares.use(async ({ url = "" }, response, next) => {
        const [, language, subject = ""] = /\/texts-(\w+)-(\w+)\.json$/.exec(url) ?? [];
        if (language === undefined) return next();
        const read = async (code: string) =>
          JSON.parse(await readFile(path.join(I18N, `${code}.json`), "utf8"))[subject];
        const texts = withEnglish(await read(language), await read("en"), (text) => `[en] ${text}`);
        response.setHeader("Content-Type", "application/json").end(JSON.stringify(texts));
      });
    },
  };
}

/** Starts the demo daemon before the server of the page, and ends it with it. */
function withDaemon(): Plugin {
  return {
    name: "with-daemon",
    async configureServer({ httpServer, config }) {
      const daemon = spawn(process.execPath, ["src/main.ts"], {
        ...{ cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] },
        env: { ELBRO_LOG_FORMAT: "text", ...process.env, ELBRO_API_PORT: DAEMON.port },
      });
      httpServer?.once("close", () => daemon.kill());
      process.once("exit", () => daemon.kill());
      const isUp = () =>
        fetch(`${DAEMON.url}/livez`).then(
          () => true,
          () => false,
        );
      while (!(await isUp())) {
        if (daemon.exitCode !== null) throw new Error("the demo daemon ended; its message is above");
        await pause(RETRY_MS);
      }
      config.logger.info(`\npage with hot replacement, logged in: add #key=${DAEMON.key} to the address below`);
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  cacheDir: path.join(ROOT, "node_modules/.cache/vite"),
  plugins: [fromSources(), withTexts(), withDaemon()],
  optimizeDeps: { entries: ["app.tsx"] },
  server: {
    fs: { allow: [ROOT] },
    proxy: {
      "^/(local|consumer|thirdParty|docs|events|metrics|healthz|livez|openapi.json)\\b": { target: DAEMON.url },
    },
  },
});
