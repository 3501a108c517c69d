/**
 * Dashboard of the built daemon in Chromium, with an empty browser cache each time. Measures the transfer before the
 * first paint, the time of the paint, and the time until the price is displayed and the page reacts. Then a year of
 * hours, from rows to pixels.
 *
 * `gzip_kb` is the transfer of a phone on the LAN: browsers accept brotli only over https and from localhost.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { CDPSession } from "playwright-core";
import { buildProgram } from "../support/bench/program.ts";
import { pageScript } from "../support/browser/page-script.ts";
import { type Screen, Screens, SIZES } from "../support/browser/screen.ts";
import { DaemonProcess } from "../support/processes/daemon-process.ts";
import { lacks } from "../support/runner/needs.ts";
import { HANG_MS } from "../support/runner/time-limits.ts";

const VISITS = 9;
const YEARS = 9;

interface Visit {
  readonly transferKb: number;
  readonly paintMs: number;
  readonly interactiveMs: number;
  /** Main-thread time of the page until then, in ms. It does not depend on other load of the machine. */
  readonly workMs: number;
}

export async function run(): Promise<Record<string, number>> {
  if (lacks("Chromium")) throw new Error("this bench needs Chromium, as Debian installs it");
  buildProgram();
  await using daemon = new DaemonProcess([], { ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0" });
  const [, port = "", key = ""] = [
    ...((await daemon.line(/curl/)).match(/:(\d+)\//) ?? []),
    (await daemon.line(/^ *key /)).trim().split(/\s+/)[1] ?? "",
  ];
  const url = `http://127.0.0.1:${port}/`;
  await untilPriced(url, key);
  await using screens = await Screens.start();
  // Tests keep the browser for their worker. Here it would keep the process alive.
  await using _browser = { [Symbol.asyncDispose]: () => screens.browser.close() };
  const visits: Visit[] = [];
  for (let i = 0; i < VISITS; i++) visits.push(await visit(screens, url, key));
  const years = await yearsOf(screens, url, key);
  return {
    transfer_kb: median(visits.map(({ transferKb }) => transferKb)),
    gzip_kb: await gzipKb(url),
    paint_ms: median(visits.map(({ paintMs }) => paintMs)),
    interactive_ms: median(visits.map(({ interactiveMs }) => interactiveMs)),
    interactive_worst_ms: Math.max(...visits.map(({ interactiveMs }) => interactiveMs)),
    work_ms: median(visits.map(({ workMs }) => workMs)),
    ...years,
  };
}

/** The demo has prices and plans. */
async function untilPriced(url: string, key: string): Promise<void> {
  for (const end = Date.now() + HANG_MS; Date.now() < end; await pause(100)) {
    const answer = await fetch(`${url}local/v1/now`, { headers: { authorization: `Bearer ${key}` } });
    const { homes = [] } = (await answer.json()) as { homes?: { price: number | null }[] };
    if (homes.some(({ price }) => typeof price === "number")) return;
  }
  throw new Error("the demo has no price");
}

/** Measured on the page: the time when the price and the coming hours are displayed. */
const NOTE_WHEN_USABLE = `new MutationObserver((_, observer) => {
  const price = document.querySelector("#now .figure")?.textContent ?? "";
  if (!/\\d/.test(price) || !document.querySelector("#now .strip li")) return;
  performance.mark("usable");
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, characterData: true });`;

async function visit(screens: Screens, url: string, key: string): Promise<Visit> {
  await using screen = await screens.visit(url, { size: "phone" });
  await screen.signIn(key);
  await screen.page.addInitScript(NOTE_WHEN_USABLE);
  const devtools = await screen.page.context().newCDPSession(screen.page);
  const transferred = await countTransfer(devtools);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await screen.page.goto(url);
  await screen.until("performance.getEntriesByName('usable').length > 0");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const workMs = (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
  const [paintMs, interactiveMs] = (await screen.page.evaluate(
    "[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.getEntriesByName('usable')[0].startTime]",
  )) as [number, number];
  return { transferKb: transferred(), paintMs, interactiveMs, workMs };
}

/** Returns all bytes transferred so far, headers included. That is more than the first paint needs. */
async function countTransfer(devtools: CDPSession): Promise<() => number> {
  let bytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await devtools.send("Network.enable");
  return () => bytes / 1_000;
}

/** Returns the size of the page and all its files as gzip. */
async function gzipKb(url: string): Promise<number> {
  const lengthOf = async (from: string) => {
    const answer = await fetch(from, { headers: { "accept-encoding": "gzip" } });
    return { bytes: Number(answer.headers.get("content-length")), text: await answer.text() };
  };
  const page = await lengthOf(url);
  const files = new Set([...page.text.matchAll(/"(assets\/[^"]+)"/g)].map(([, file]) => file ?? ""));
  const words = [...files].find((file) => file.endsWith("/app.js"))?.replace("app.js", "texts-da-page.json") ?? "";
  const bytes = await Promise.all([...files, words].map(async (file) => (await lengthOf(url + file)).bytes));
  return [page.bytes, ...bytes].reduce((sum, each) => sum + each, 0) / 1_000;
}

/**
 * Draws a year of hours on the chart of a 1920 x 1080 screen; then also reads and adds up the rows. Asking for the size of
 * the drawing waits for its layout.
 */
const DRAW_YEARS = `(async () => {
  const base = document.querySelector("script[src$='app.js']").src;
  const { Plot, h, render, addedUp, MEASURES, browserCalendar, HOUR_MS } = await import(new URL("bench.js", base));
  const calendar = browserCalendar("Europe/Copenhagen");
  const from = calendar.startOf("year", Date.UTC(2024, 6)), to = calendar.add("year", from, 1);
  const iso = (at) => new Date(at).toISOString();
  const text = JSON.stringify({ data: Array.from({ length: (to - from) / HOUR_MS }, (_, i) => ({ start: iso(from + i * HOUR_MS), end: iso(from + (i + 1) * HOUR_MS), energyKWh: Math.abs(Math.sin(i / 37)) * 3, isEstimate: false })) });
  const place = document.createElement("div");
  document.querySelector("#now").append(place);
  const barsOf = () => addedUp(JSON.parse(text).data, MEASURES.consumption, { from, to, unit: "hour", until: to }, calendar);
  const draw = async (bars) => {
    const view = { from, to, bars: bars.map((bar) => ({ ...bar, kind: "use" })), ticksFor: () => calendar.startsIn("month", { start: from, end: to }).map((at) => ({ at, text: "" })), valueText: String, describe: String, label: "", unit: "kWh", rest: null, onPick: () => undefined };
    render(h(Plot, { view, isEmpty: false }), place);
    for (let turns = 0; !place.querySelector("path[fill]"); turns++) {
      if (turns === 1e6) throw new Error("the year was not drawn");
      await Promise.resolve();
    }
    place.querySelector("path[fill]").getBoundingClientRect();
  };
  const drawn = [], shown = [];
  for (let i = 0; i < ${YEARS}; i++) {
    const bars = barsOf().map((bar) => ({ ...bar, value: bar.value + i }));
    let began = performance.now();
    await draw(bars);
    drawn.push(performance.now() - began);
    began = performance.now();
    await draw(barsOf());
    shown.push(performance.now() - began);
  }
  return { drawn, shown, bars: barsOf().length };
})()`;

/** Bundles the modules that draw a year. */
const CHART_MODULES = `
  export { h, render } from "preact";
  export { Plot } from "./chart/plot.tsx";
  export { addedUp, MEASURES } from "./use/energy.ts";
  export { browserCalendar } from "./words/browser-calendar.ts";
  export { HOUR_MS } from "../../src/core/time/interval.ts";
`;

async function yearsOf(screens: Screens, url: string, key: string): Promise<Record<string, number>> {
  await using screen: Screen = await screens.visit(url, { size: "wall" });
  await screen.signIn(key);
  const contentType = "text/javascript";
  const body = await pageScript(CHART_MODULES);
  await screen.page.route("**/bench.js", (route) => route.fulfill({ contentType, body }));
  await screen.page.goto(url);
  await screen.untilText("#now .price", /\d/);
  const { drawn, shown, bars } = (await screen.page.evaluate(DRAW_YEARS)) as Record<"drawn" | "shown", number[]> & {
    bars: number;
  };
  console.log(`a year is ${bars} hours, on a screen of ${SIZES.wall.width} pixels`);
  return {
    year_draw_ms: median(drawn),
    year_draw_worst_ms: Math.max(...drawn),
    year_shown_ms: median(shown),
  };
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
