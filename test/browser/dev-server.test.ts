import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTcpServer } from "node:net";
import path from "node:path";
import { createServer } from "vite";
import { describe, expect, test, vi } from "vitest";
import { Screens, typeKeys } from "../support/browser/screen.ts";
import { lacks } from "../support/runner/needs.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** Below the root, so that the copy finds the packages. */
const BUILD = path.join(ROOT, "build");

/** Returns a port that nothing uses. The configuration of the server needs the port of the daemon in advance. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("a TCP server has an address");
  return address.port;
}

/** A copy of the sources, which a test can change, with the development server in front of its demo. */
class CopiedSources implements AsyncDisposable {
  readonly root: string;
  readonly #server: Awaited<ReturnType<typeof createServer>>;

  private constructor(root: string, server: Awaited<ReturnType<typeof createServer>>) {
    this.root = root;
    this.#server = server;
  }

  static async serve(): Promise<CopiedSources> {
    vi.stubEnv("ELBRO_API_PORT", String(await freePort()));
    vi.stubEnv("ELBRO_BROKER_PORT", "0");
    mkdirSync(BUILD, { recursive: true });
    const root = mkdtempSync(path.join(BUILD, "dev-"));
    for (const name of ["src", "package.json", "tsconfig.json"])
      cpSync(path.join(ROOT, name), path.join(root, name), { recursive: true });
    const server = await createServer({
      configFile: path.join(root, "src/dashboard/vite.config.ts"),
      // Requests while the daemon starts again are no errors of the test.
      logLevel: "silent",
      server: { port: 0, fs: { allow: [ROOT] } },
    });
    await server.listen();
    // A change before the first look at a folder is not noticed.
    const watched = () => Object.keys(server.watcher.getWatched());
    for (const folder of ["cli", "dashboard/editing", "i18n"])
      await expect.poll(watched).toContain(path.join(root, "src", folder));
    return new CopiedSources(root, server);
  }

  get url(): string {
    return this.#server.resolvedUrls?.local[0] ?? "";
  }

  /** Changes a source once, as an editor that saves it. */
  change(name: string, before: string, after: string): void {
    const file = path.join(this.root, "src", name);
    const text = readFileSync(file, "utf8");
    expect(text.split(before), `${before} in ${name}`).toHaveLength(2);
    writeFileSync(file, text.replace(before, after));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    vi.unstubAllEnvs();
    rmSync(this.root, { recursive: true, force: true });
  }
}

describe.skipIf(lacks("Chromium"))("npm run dev (in Chromium; skipped if it is not installed)", () => {
  test("shows the demo of the sources without a login form, and each change of a source", async () => {
    await using sources = await CopiedSources.serve();
    await using screens = await Screens.start();
    await using screen = await screens.visit(sources.url);
    const { page } = screen;
    await page.goto(`${sources.url}#key=demo`);
    await screen.untilText("#now .price", /\d\.\d\d/);
    expect(await page.locator("script[src='/app.tsx'], script[src='app.tsx']").count()).toBe(1);

    // A text.
    sources.change("i18n/en.json", '"plans": "Plans"', '"plans": "Changed plans"');
    await page.getByRole("link", { name: "Changed plans" }).click();

    // A component keeps what was typed in it.
    await page.getByRole("button", { name: "New plan" }).click();
    await page.getByRole("button", { name: "Something else" }).click();
    const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
    await typeKeys(name, "Pump");

    sources.change(
      "dashboard/editing/editor.tsx",
      "<Dialog title={titleOf(task, tools.e)}",
      '<Dialog title="Changed component"',
    );
    await screen.untilText("dialog", /Changed component/);
    expect(await name.inputValue()).toBe("Pump");

    // A source of the daemon starts it again, and it keeps its data.
    const headers = { authorization: "Bearer demo", "content-type": "application/json" };
    const plan = async (init: RequestInit = {}) =>
      await (await fetch(new URL("local/v1/plans/dishwasher", sources.url), { headers, ...init })).text();
    expect(await plan({ method: "POST", body: JSON.stringify({ enabled: false }) })).toContain('"disabled"');

    sources.change(
      "cli/demo.ts",
      "name: textIn(languageOf(language",
      'name: entry.id === "dishwasher" ? "Changed" : textIn(languageOf(language',
    );
    // Seldom enough for the quota of the key, however long the start takes.
    await expect.poll(() => plan().catch(String), { interval: 500 }).toContain('"name":"Changed"');
    await expect.poll(plan).toContain('"disabled"');
  });
});
