/**
 * Serves the dashboard's sources with hot replacement, in front of a demo daemon: `npm run dev`. The page that is
 * installed is built by rolldown.config.ts.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import prefresh from "@prefresh/vite";
import { defineConfig, type Plugin } from "vite";
import { dashboardSubjects, withEnglish } from "../core/text/fill-text.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const SOURCE = path.join(ROOT, "src");
const I18N = path.join(SOURCE, "i18n");
/** Returns true for the file of a language. */
const isTexts = (file: string) => /^(.*\/i18n\/)?\w+\.json$/.test(file);
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
        if (isTexts(file)) ws.send({ type: "full-reload" });
      });
    },
  };
}

/** Runs the demo behind the page. A changed source starts it again with its data, which are deleted at the end. */
class DemoDaemon {
  readonly #dataDir = process.env.ELBRO_DATA_DIR ?? mkdtempSync(path.join(tmpdir(), "elbro-dev-"));
  /** Texts of the daemon by file, because those of the page start nothing again. */
  readonly #texts = new Map<string, string>();
  #process: ChildProcess;
  #isChanged = false;

  constructor() {
    for (const name of readdirSync(I18N).filter(isTexts)) this.#hasOtherTexts(path.join(I18N, name));
    this.#process = this.#start();
  }

  /** Resolves when the daemon answers. */
  async up(): Promise<void> {
    const answers = () =>
      fetch(`${DAEMON.url}/livez`).then(
        () => true,
        () => false,
      );
    while (!(await answers())) {
      if (this.#process.exitCode !== null) throw new Error("the demo daemon ended; its message is above");
      await pause(RETRY_MS);
    }
  }

  /** Starts the daemon again if the file is one of its sources. It ends in order first, so that no data is lost. */
  changed(file: string): void {
    const isOfDaemon = file.startsWith(SOURCE) && !file.startsWith(`${import.meta.dirname}${path.sep}`);
    if (!isOfDaemon || !/\.(ts|json)$/.test(file) || (isTexts(file) && !this.#hasOtherTexts(file))) return;
    this.#isChanged = true;
    if (!this.#process.kill()) this.#startChanged();
  }

  end(): void {
    this.#isChanged = false;
    const isOwn = process.env.ELBRO_DATA_DIR !== undefined;
    this.#process.kill(isOwn ? "SIGTERM" : "SIGKILL");
    if (!isOwn) rmSync(this.#dataDir, { recursive: true, force: true });
  }

  #start(): ChildProcess {
    const daemon = spawn(process.execPath, ["src/main.ts"], {
      ...{ cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] },
      env: {
        ...{ ELBRO_LOG_FORMAT: "text", ...process.env },
        ...{ ELBRO_API_PORT: DAEMON.port, ELBRO_DATA_DIR: this.#dataDir },
      },
    });
    daemon.once("exit", () => this.#startChanged());
    return daemon;
  }

  #startChanged(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#process = this.#start();
  }

  #hasOtherTexts(file: string): boolean {
    const subjects = subjectsIn(file);
    const others = JSON.stringify(subjects.filter(([name]) => !dashboardSubjects.some((each) => each === name)));
    const isOther = this.#texts.get(file) !== others;
    this.#texts.set(file, others);
    return isOther;
  }
}

/** Returns the texts by subject; none of a file that is not valid JSON, because it is being written. */
function subjectsIn(file: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return [];
  }
}

/** Starts the demo daemon before the server of the page, and ends it with it. */
function withDaemon(): Plugin {
  return {
    name: "with-daemon",
    async configureServer({ httpServer, config, watcher }) {
      const daemon = new DemoDaemon();
      httpServer?.once("close", () => daemon.end());
      process.once("exit", () => daemon.end());
      await daemon.up();
      watcher.add(SOURCE).on("change", (file) => daemon.changed(file));
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
