/**
 * Setup of the tests: notes the functions that each test reaches, here and on its pages, and those that its file reached
 * before it.
 */
import { chromium } from "playwright-core";
import { afterEach, beforeEach } from "vitest";

declare global {
  var elbroReached: Set<number> | undefined;
}

declare module "vitest" {
  interface TaskMeta {
    reached?: number[];
    reachedBefore?: number[];
  }
}

globalThis.elbroReached ??= new Set();
const reached = globalThis.elbroReached;

function taken(): number[] {
  const numbers = [...reached];
  reached.clear();
  return numbers;
}

beforeEach(({ task }) => {
  task.meta.reachedBefore = taken();
});

afterEach(({ task }) => {
  task.meta.reached = taken();
});

const { launch } = chromium;
// This runs once for each file of a worker, which starts one browser.
if (!Object.hasOwn(chromium, "launch"))
  chromium.launch = async (options) => {
    const browser = await launch.call(chromium, options);
    const newContext = browser.newContext.bind(browser);
    browser.newContext = async (...given) => {
      const context = await newContext(...given);
      await context.exposeFunction("noteReached", (number: number) => void reached.add(number));
      await context.addInitScript({
        content:
          "const n = new Set(); globalThis.elbroReached = { add: (f) => n.has(f) || noteReached(n.add(f) && f) };",
      });
      return context;
    };
    return browser;
  };
