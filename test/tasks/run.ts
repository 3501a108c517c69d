/**
 * Ten things that a household does on the page, on a phone and on a wide screen: `npm run lab -- tasks`. Prints the clicks
 * and typed characters of each, and the seconds that the page made the user wait.
 */
import type { Locator } from "playwright-core";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { type Screen, Screens } from "../support/browser/screen.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { MqttPlug } from "../support/plugs/mqtt-plug.ts";
import { DaemonProcess } from "../support/processes/daemon-process.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const MINUTE_MS = 60_000;
const START = Date.parse("2026-03-10T14:20:00Z");
const SIZES = ["phone", "wide"] as const;
const HOUSE = `language: en
plans:
  - { name: Dishwasher, home: home, kind: window, hours: 3, kwh: 1.2, from: "20:00", ready_by: "07:00" }
plugs:
  - { name: Washer, family: tasmota, topic: heater, plan: dishwasher }
`;

/** A user with one finger, whose clicks and characters are counted. */
class User {
  readonly screen: Screen;
  clicks = 0;
  typed = 0;

  constructor(screen: Screen) {
    this.screen = screen;
  }

  async click(target: Locator): Promise<void> {
    await target.click();
    this.clicks++;
  }

  button(name: string | RegExp): Promise<void> {
    return this.click(this.screen.page.getByRole("button", { name, exact: true }).first());
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.screen.page.getByRole("link", { name, exact: true }).first());
  }

  async type(label: string | RegExp, text: string): Promise<void> {
    const input = this.screen.page.getByLabel(label, { exact: true }).first();
    await this.click(input);
    await input.fill(text);
    this.typed += text.length;
  }

  sees(selector: string, text: RegExp): Promise<string> {
    return this.screen.untilText(selector, text);
  }
}

type Task = readonly [name: string, run: (user: User, house: House) => Promise<unknown>];

interface House {
  readonly daemon: TestDaemon;
  readonly plug: MqttPlug;
}

/** Tasks of a house that is set up, in the order in which they are done. Each begins at the overview. */
const TASKS: readonly Task[] = [
  [
    "add a car",
    async (user) => {
      await user.link("Plans");
      await user.button("New plan");
      await user.button(/^Car/);
      await user.button("Save");
      await user.sees("#plans .edited", /Car is saved/);
    },
  ],
  [
    "change its hours",
    async (user) => {
      await user.link(/^Car/);
      await user.click(user.screen.page.locator("#plans summary").filter({ hasText: "Adjust" }));
      await user.type("Hours", "4");
      await user.click(user.screen.page.locator("#plans form").getByRole("button", { name: "Save" }));
      await user.sees("#plans", /Saved/);
    },
  ],
  [
    "run once",
    async (user) => {
      await user.link("Plans");
      await user.button("Run once");
      await user.click(user.screen.page.locator("#plans .once button[type=submit]"));
      await user.sees("#plans .edited", /\w/);
    },
  ],
  [
    "find out why",
    async (user) => {
      await user.link(/^Car/);
      await user.sees("#plans", /Planned at the cheapest time/);
    },
  ],
  [
    "see what it saved",
    async (user) => {
      await user.link("Results");
      await user.sees("#results", /Savings/);
    },
  ],
  [
    "fix a silent plug",
    async (user, { daemon, plug }) => {
      await user.sees("#now .problem", /Washer/);
      await plug.connect(daemon.brokerPort);
      await daemon.clock.runUntil(daemon.clock.now() + 20 * MINUTE_MS);
      await user.link("Plans");
      await user.click(user.screen.page.getByRole("button", { name: "Switch on for 10 s" }));
      await user.sees("#plans .plug", /On until/);
    },
  ],
  [
    "change the key",
    async (user, { daemon }) => {
      await user.link("System");
      await user.click(user.screen.page.locator("#connections li").first().getByRole("button", { name: "Edit" }));
      await user.type("API key", daemon.simulator.keys.consumerKey ?? "");
      await user.click(user.screen.page.locator("dialog").getByRole("button", { name: "Save" }));
      await user.sees("#connections", /saved and in use/);
    },
  ],
  [
    "undo",
    async (user) => {
      await user.button("Undo");
      await user.sees(".toast", /Undone/);
    },
  ],
  [
    "put it on the wall",
    async (user) => {
      await user.link("System");
      await user.type("Name of the device", "wall");
      await user.button("Create a key");
      // A daemon that only this machine reaches has no link for another device; there, the link is one click more.
      await user.sees("#keys", /shown only this once/);
    },
  ],
];

interface Count {
  readonly name: string;
  readonly clicks: number;
  readonly typed: number;
  readonly seconds: number;
}

async function counted(name: string, screen: Screen, run: (user: User) => Promise<unknown>): Promise<Count> {
  const user = new User(screen);
  const began = performance.now();
  await run(user);
  return { name, clicks: user.clicks, typed: user.typed, seconds: (performance.now() - began) / 1_000 };
}

/** Sets up a house from an empty folder. */
async function setUp(screens: Screens, simulator: Simulator, size: (typeof SIZES)[number]): Promise<Count> {
  using folder = new TempDir();
  const env = { ELBRO_SERVICE_BASE_URL: simulator.url, ELBRO_API_PORT: "0", ELBRO_BROKER_PORT: "0" };
  await using daemon = new DaemonProcess([], env, { folder: folder.path });
  const [, port = ""] = (await daemon.line(/curl/)).match(/:(\d+)\//) ?? [];
  await using screen = await screens.visit(`http://127.0.0.1:${port}/`, { size });
  await screen.page.goto(screen.url);
  return await counted("set up", screen, async (user) => {
    await user.click(screen.page.locator(".setup-card button"));
    await user.type("API key", simulator.keys.consumerKey ?? "");
    for (const step of [2, 3, 4]) {
      await user.button("Next");
      await user.sees("dialog", new RegExp(`Step ${step} of 5`));
    }
    await user.button("Skip");
    await user.button("Set up");
    await user.sees("dialog", /User name|started/);
  });
}

async function live(screens: Screens, size: (typeof SIZES)[number]): Promise<readonly Count[]> {
  await using daemon = await TestDaemon.start({ start: START, simulator: { homes: ["danish"] }, yaml: HOUSE });
  await daemon.clock.runUntil(START + 30 * MINUTE_MS);
  await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: false, powerOn: "last" });
  await using screen = await screens.look(daemon, { size });
  const counts: Count[] = [];
  for (const [name, run] of TASKS) {
    // A toast with "Undo" stays only while its change is new.
    if (name !== "undo") await screen.page.goto(screen.url);
    if (name !== "undo") await screen.untilText("#now .price", /\d/);
    counts.push(await counted(name, screen, (user) => run(user, { daemon, plug })));
  }
  return counts;
}

await using screens = await Screens.start();
const simulator = await startSimulator({ now: Date.now, homes: ["danish"] });
for (const size of SIZES) {
  console.log(`\n${size}\n${"task".padEnd(20)}${"clicks".padStart(8)}${"typed".padStart(8)}${"seconds".padStart(9)}`);
  for (const { name, clicks, typed, seconds } of [
    await setUp(screens, simulator, size),
    ...(await live(screens, size)),
  ])
    console.log(
      `${name.padEnd(20)}${String(clicks).padStart(8)}${String(typed).padStart(8)}${seconds.toFixed(1).padStart(9)}`,
    );
}
await simulator.close();
await screens.browser.close();
