/** Opens the dashboard in the installed Chromium, with a given screen size, language and colour scheme. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Browser, type BrowserContext, chromium, type Locator, type Page, type Request } from "playwright-core";
import { expect } from "vitest";
import { LAN_KEY } from "../daemon/test-config.ts";
import type { TestDaemon } from "../daemon/test-daemon.ts";
import { programPath } from "../runner/needs.ts";
import { HANG_MS } from "../runner/time-limits.ts";

/** Replaces the text of an input key by key, as a user does. `fill` sets it in one step and hides lost keys. */
export async function typeKeys(input: Locator, text: string): Promise<void> {
  await input.selectText();
  if (text === "") await input.press("Delete");
  else await input.pressSequentially(text);
}

/** Folder for screenshots of all tests: `ELBRO_SCREENSHOTS=/tmp/pictures npm test`. None are taken without it. */
const { ELBRO_SCREENSHOTS: SCREENSHOTS } = process.env;

export const SIZES = {
  phone: { width: 360, height: 780 },
  pad: { width: 768, height: 1024 },
  tablet: { width: 1024, height: 768 },
  wide: { width: 1440, height: 900 },
  wall: { width: 1920, height: 1080 },
} as const;

export interface LookOptions {
  readonly size?: keyof typeof SIZES;
  readonly language?: string;
  readonly scheme?: "light" | "dark";
  readonly reducedMotion?: "reduce" | "no-preference";
  readonly hasTouch?: boolean;
  readonly serviceWorkers?: "allow" | "block";
  /** Opens the page logged in; true by default. */
  readonly signedIn?: boolean;
  /** Key for the login. */
  readonly key?: string;
  /** View, and entry of it, in the form of the address; the first view by default. */
  readonly view?: string;
}

/** Started browsers by the text size that is set in them, in percent. They end with the worker. */
const browsers = new Map<number, Promise<Browser>>();

/** Browser that all test files of a worker share. Each test has its own browser context. */
export class Screens implements AsyncDisposable {
  readonly browser: Browser;

  private constructor(browser: Browser) {
    this.browser = browser;
  }

  /** Starts the browser. `textPercent` is the text size set in the browser. */
  static async start({ textPercent = 100 }: { readonly textPercent?: number } = {}): Promise<Screens> {
    const launch = () =>
      chromium.launch({
        executablePath: programPath("Chromium") ?? "",
        // CI containers have no sandbox and little space in /dev/shm.
        args: [
          ...["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
          `--blink-settings=defaultFontSize=${(16 * textPercent) / 100}`,
        ],
      });
    const browser = browsers.get(textPercent) ?? launch();
    browsers.set(textPercent, browser);
    return new Screens(await browser);
  }

  /** Opens the dashboard of a daemon. */
  async look(daemon: TestDaemon, options: LookOptions = {}): Promise<Screen> {
    const url = `${daemon.url}/`;
    const screen = await Screen.open(this.browser, url, options);
    if (options.signedIn ?? true) await screen.signIn(options.key ?? LAN_KEY);
    await screen.page.goto(options.view === undefined ? url : `${url}#${options.view}`);
    return screen;
  }

  /** Creates a page without opening `url`. */
  visit(url: string, options: LookOptions = {}): Promise<Screen> {
    return Screen.open(this.browser, url, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const context of this.browser.contexts()) await context.close();
  }
}

/** One page, with its errors. */
export class Screen implements AsyncDisposable {
  readonly page: Page;
  readonly url: string;
  readonly #context: BrowserContext;
  /** Errors of scripts and of the console. */
  readonly errors: string[] = [];
  /** Requests under way, except the stream of events. */
  readonly #requests = new Set<Request>();

  private constructor(context: BrowserContext, page: Page, url: string) {
    this.#context = context;
    this.page = page;
    this.url = url;
    page.on("request", (request) => request.resourceType() !== "eventsource" && this.#requests.add(request));
    page.on("requestfinished", (request) => this.#requests.delete(request));
    page.on("requestfailed", (request) => this.#requests.delete(request));
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
  }

  static async open(browser: Browser, url: string, options: LookOptions): Promise<Screen> {
    const context = await browser.newContext({
      viewport: SIZES[options.size ?? "tablet"],
      locale: options.language ?? "en-GB",
      colorScheme: options.scheme ?? "light",
      reducedMotion: options.reducedMotion ?? "reduce",
      // A service worker would answer requests that tests answer themselves.
      serviceWorkers: options.serviceWorkers ?? "block",
      hasTouch: options.hasTouch ?? options.size === "phone",
      // A different time zone from the home's: the page must show the home's time.
      timezoneId: "America/New_York",
    });
    context.setDefaultTimeout(HANG_MS);
    return new Screen(context, await context.newPage(), url);
  }

  /** Logs in with the request that the page sends, without its form. */
  async signIn(key: string): Promise<void> {
    const answer = await this.#context.request.post(`${this.url}local/v1/session`, {
      data: { key },
      headers: { "X-Elbro-Page": "1" },
    });
    if (!answer.ok()) throw new Error(`the log-in was answered with ${answer.status()}: ${await answer.text()}`);
  }

  /** Changes the size of the page without loading it again. */
  async resize(size: keyof typeof SIZES): Promise<void> {
    await this.page.setViewportSize(SIZES[size]);
    await this.#nextFrame();
  }

  /** Opens a view by its link. */
  async show(view: string): Promise<void> {
    await this.page.locator(`#parts a[href="#${view}"]`).click();
    await this.page.locator(`#${view}`).waitFor();
  }

  /** Returns the visible text of an element in one line. */
  async text(selector: string): Promise<string> {
    // biome-ignore lint/performance/useDomNodeTextContent: what a reader sees, without what is hidden.
    return (await this.page.locator(selector).innerText()).replace(/\s+/g, " ").trim();
  }

  /** Waits until the visible text of an element matches. Rejects after `HANG_MS` with the last text. */
  async untilText(selector: string, pattern: RegExp): Promise<string> {
    let last = "";
    const place = this.page.locator(selector);
    const started = Date.now();
    while (Date.now() - started < HANG_MS) {
      // biome-ignore lint/performance/useDomNodeTextContent: what a reader sees, without what is hidden.
      last = (await place.innerText({ timeout: 5_000 }).catch(() => "")).replace(/\s+/g, " ").trim();
      if (pattern.test(last)) return last;
      await this.#nextFrame();
    }
    throw new Error(`${selector} never showed ${pattern}; it showed: ${last}`);
  }

  /**
   * Waits until an expression is true on the page. `evaluate` is not subject to the page's content security policy.
   */
  async until(expression: string): Promise<void> {
    const started = Date.now();
    while (!(await this.#evaluated(`Boolean(${expression})`))) {
      if (Date.now() - started > HANG_MS) throw new Error(`it never came to ${expression}`);
      await this.#nextFrame();
    }
  }

  /** Waits until a view has read what it shows, no request of the page is under way, and the answers were drawn. */
  async settled(view: string): Promise<void> {
    const isRead = () => this.#requests.size === 0;
    do {
      await this.until(`document.querySelector("#${view}")?.getAttribute("aria-busy") === null`);
      await expect.poll(isRead, { timeout: HANG_MS }).toBe(true);
      await this.#nextFrame();
    } while (!isRead());
  }

  /** Waits until the page was drawn twice: observers of sizes run between two frames. */
  #nextFrame(): Promise<unknown> {
    return this.#evaluated("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  }

  /** Returns the value of an expression on the page; null if the page is replaced by another one meanwhile. */
  #evaluated(expression: string): Promise<unknown> {
    return this.page.evaluate(expression).catch((error: unknown) => {
      if (String(error).includes("Execution context was destroyed")) return null;
      throw error;
    });
  }

  /** Saves a screenshot, as `savePicture`. */
  picture(name: string, shows?: Shown): Promise<void> {
    return savePicture(this.page, name, shows);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}

type Shown = "page" | "screen" | { readonly element: string };

/** Saves a screenshot of the whole page, of what fits on the screen, or of one element, if `SCREENSHOTS` is set. */
export async function savePicture(page: Page, name: string, shows: Shown = "page"): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const file = path.join(SCREENSHOTS, `${name}.png`);
  if (typeof shows === "object") await page.locator(shows.element).screenshot({ path: file });
  else await page.screenshot({ path: file, fullPage: shows === "page" });
}
