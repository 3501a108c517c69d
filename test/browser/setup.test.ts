import { readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";
import mqtt from "mqtt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HOUR_MS } from "../../src/core/time/interval.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { marketFile } from "../support/browser/dashboard-daemon.ts";
import { axeViolations, MISFITS, violationsInBothSchemes } from "../support/browser/page-checks.ts";
import { type LookOptions, type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import { MACHINE, openPort } from "../support/http/machine.ts";
import { MqttPlug } from "../support/plugs/mqtt-plug.ts";
import { DaemonProcess } from "../support/processes/daemon-process.ts";
import { lacks } from "../support/runner/needs.ts";
import { TempDir } from "../support/runner/temp-dir.ts";

const TASMOTA = {
  ...{
    dn: "Tasmota",
    fn: ["Heater"],
    md: "Nous A1T",
    t: "heater",
    ft: "%prefix%/%topic%/",
    tp: ["cmnd", "stat", "tele"],
  },
  rl: [1, 0],
};

/** Returns a free port. It must be fixed, because the new home uses the same port as the demo. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

/** Takes a port. The demo listens on 127.0.0.1 only; the home listens on every address. */
async function listeningOn(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.2", resolve));
  return server;
}

/** The program, started in an empty folder with the simulator as its service. */
class Fresh implements AsyncDisposable {
  readonly folder = new TempDir();
  readonly daemon: DaemonProcess;
  readonly url: string;
  readonly brokerPort: number;

  private constructor(simulator: Simulator, ports: readonly [number, number]) {
    const [api, broker] = ports;
    this.url = `http://127.0.0.1:${api}/`;
    this.brokerPort = broker;
    this.daemon = new DaemonProcess(
      [],
      {
        ...{ ELBRO_SERVICE_BASE_URL: simulator.url, ELBRO_HISTORY_MONTHS: "1" },
        ...{ ELBRO_API_PORT: String(api), ELBRO_BROKER_PORT: String(broker) },
      },
      { folder: this.folder.path },
    );
  }

  static async start(simulator: Simulator): Promise<Fresh> {
    const fresh = new Fresh(simulator, [await freePort(), await freePort()]);
    await fresh.daemon.line(/^ *key /);
    return fresh;
  }

  /** Last code in the log. */
  get code(): string {
    const codes = this.daemon.lines.flatMap((line) => /enter the code (\S+) on/.exec(line)?.[1] ?? []);
    return codes.at(-1) ?? "";
  }

  post(route: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}local/v1/setup${route}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-elbro-page": "1", ...headers },
      body: JSON.stringify(body),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

describe.skipIf(lacks("Chromium"))("the set-up of a home (in Chromium; skipped if it is not installed)", () => {
  let screens: Screens;
  let simulator: Simulator;
  let fresh: Fresh;

  beforeAll(async () => {
    screens = await Screens.start();
    // The expensive hours are later, so that a plan that avoids the most expensive hour is ON now.
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const from = hour - 72 * HOUR_MS;
    const perMwh = Array.from({ length: 120 }, (_, i) => (from + i * HOUR_MS > hour + HOUR_MS ? 2_000 + i : 300));
    const csv = marketFile(new Date(from).toISOString(), perMwh);
    simulator = await startSimulator({ now: Date.now, homes: ["danish"], prices: { csv } });
  });
  afterAll(async () => {
    await simulator?.close();
    await screens?.[Symbol.asyncDispose]();
  });
  const start = async () => {
    fresh = await Fresh.start(simulator);
    return () => fresh[Symbol.asyncDispose]();
  };

  async function opened(options: LookOptions = {}): Promise<Screen> {
    const screen = await screens.visit(fresh.url, options);
    await screen.page.goto(fresh.url);
    await screen.page.locator(".setup-card button").click();
    await screen.page.getByRole("dialog").waitFor();
    return screen;
  }

  describe("from an empty folder", () => {
    beforeEach(start);

    test("the set-up of a home sets up a home, which starts at the second attempt, a plan and a plug from an empty folder, all on the page", async () => {
      await using screen = await opened({ size: "phone" });
      const { page } = screen;
      // The page of the demo opens without a key.
      await screen.untilText("#now .price", /\d/);
      const dialog = page.getByRole("dialog");
      const next = () => dialog.getByRole("button", { name: "Next" }).click();
      await screen.untilText("dialog", /Step 1 of 5: Key of the service/);
      await typeKeys(dialog.getByLabel("API key"), "not-the-key");
      await next();
      await screen.untilText(
        "dialog [role=alert]",
        /The service does not know this key\. .* Technical detail: 401 invalid_token: /,
      );
      await screen.picture("setup-key-phone");
      await typeKeys(dialog.getByLabel("API key"), simulator.keys.consumerKey ?? "");
      await next();
      await screen.untilText("dialog", /Step 2 of 5: Addresses .*Home Strandvejen 12, 8000 Aarhus C, Denmark DK1/);
      await next();
      await screen.untilText("dialog", /Step 3 of 5: MQTT broker/);
      await typeKeys(dialog.getByLabel("Address of the broker"), MACHINE);
      await next();
      await screen.untilText("dialog", /Nothing answers at 127\.\S+ on port 1883, 8883; check it/i);
      const machine = await openPort(8883);
      await next();
      const address = dialog.getByLabel("Address of the broker");
      await expect.poll(() => address.inputValue()).toBe(`mqtts://${MACHINE}:8883`);
      await machine.close();
      await typeKeys(address, "mqtt://127.0.0.1:1");
      await next();
      await screen.untilText("dialog [role=alert]", /No connection to the broker\. .*: nothing listens there/);
      await dialog.getByRole("button", { name: "Use it anyway" }).waitFor();
      // What was typed survives Escape, also secrets, which no storage has.
      await typeKeys(dialog.getByLabel("Password"), "word-of-the-broker");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await page.evaluate("JSON.stringify([sessionStorage, localStorage])")).not.toMatch(/word-of-the-broker/);
      await page.locator(".setup-card button").click();
      await screen.untilText("dialog", /Step 3 of 5: MQTT broker/);
      expect(await dialog.getByLabel("Address of the broker").inputValue()).toBe("mqtt://127.0.0.1:1");
      expect(await dialog.getByLabel("Password").inputValue()).toBe("word-of-the-broker");
      // After a reload, only the secrets are typed again.
      await page.reload();
      await page.locator(".setup-card button").click();
      await typeKeys(dialog.getByLabel("API key"), simulator.keys.consumerKey ?? "");
      await next();
      await screen.untilText("dialog", /Step 2 of 5/);
      await next();
      await screen.untilText("dialog", /Step 3 of 5/);
      expect(await dialog.getByLabel("Address of the broker").inputValue()).toBe("mqtt://127.0.0.1:1");
      expect(await dialog.getByLabel("Password").inputValue()).toBe("");
      await typeKeys(dialog.getByLabel("Address of the broker"), "");
      await next();
      await screen.untilText("dialog", /Step 4 of 5: Home Assistant/);
      await typeKeys(dialog.getByLabel("Address of Home Assistant"), "http://127.0.0.1:1");
      await typeKeys(dialog.getByLabel("Access token"), "a-token");
      await next();
      await screen.untilText(
        "dialog [role=alert]",
        /Home Assistant cannot be reached at this address\. .*ECONNREFUSED/,
      );
      await typeKeys(dialog.getByLabel("Address of Home Assistant"), "");
      await typeKeys(dialog.getByLabel("Access token"), "");
      await dialog.getByRole("button", { name: "Skip" }).click();
      await screen.untilText("dialog", /Step 5 of 5/);
      const other = await listeningOn(Number(new URL(fresh.url).port));
      await dialog.getByRole("button", { name: "Set up" }).click();
      await screen.untilText("dialog > .wrong", /could not start with your home.* port \d+ of the api is in use/);
      await screen.untilText("dialog", /Step 5 of 5/);
      await screen.picture("setup-not-started-phone");
      expect(await axeViolations(screen)).toEqual([]);
      await new Promise((resolve) => other.close(resolve));
      await dialog.getByRole("button", { name: "Set up" }).click();
      const done = await screen.untilText("dialog", /elbro has started with your home\./);
      await screen.picture("setup-done-phone");
      const file = path.join(fresh.folder.path, "data/page.yaml");
      expect(done).toContain("data/page.yaml");
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, "utf8")).toMatch(/^settings:\n {2}consumer:\n {4}api_key: /m);
      // The demo, the demo again after the first attempt, and the home.
      expect(fresh.daemon.lines.filter((line) => line.includes("API listens"))).toHaveLength(3);
      const [, key = ""] = /Key (elbro_\S+)/.exec(done) ?? [];
      const [, username = "", password = ""] = /User name (\S+) Copy Password (\S+)/.exec(done) ?? [];
      expect(fresh.daemon.output).not.toContain(key);
      expect(fresh.daemon.output).not.toContain(simulator.keys.consumerKey ?? "none");

      await dialog.getByRole("button", { name: "Open my home" }).click();
      await screen.untilText("#now .price", /\d/);
      expect(await screen.text("#now")).not.toContain("invented");

      await using plug = new MqttPlug("tasmota", { now: Date.now, on: false, powerOn: "last" });
      await plug.connect(fresh.brokerPort, { username, password });
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${fresh.brokerPort}`, { username, password });
      await client.publishAsync("tasmota/discovery/4F2100000000/config", JSON.stringify(TASMOTA), { retain: true });
      await screen.show("plans");
      await page.getByRole("button", { name: "New plan" }).click();
      await page.getByRole("button", { name: "Something else" }).click();
      await typeKeys(dialog.getByLabel("Name", { exact: true }), "Water");
      await dialog.getByLabel("Kind").selectOption({ label: "Always except in expensive hours" });
      await typeKeys(dialog.getByLabel("Hours", { exact: true }), "1");
      await dialog.getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans .edited", /Water is saved/);
      await page.getByRole("button", { name: "Add a plug" }).click();
      await dialog.getByRole("button", { name: "Add: Heater" }).click();
      await dialog
        .getByRole("group", { name: "Plan" })
        .getByLabel("Plan", { exact: true })
        .selectOption({ label: "Water" });
      await dialog.getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans .edited", /Heater is saved/);
      await expect.poll(() => plug.device.on).toBe(true);
      await screen.untilText("#plans .plug", /Heater on/i);
      await screen.picture("setup-plug-on-phone");
      await client.endAsync(true);

      // The link of the QR code logs a phone in, and the key is removed from the URL.
      await using phone = await screens.visit(fresh.url, { size: "phone" });
      await phone.page.goto(`${fresh.url}#key=${key}`);
      await phone.untilText("#now .price", /\d/);
      expect(phone.page.url()).toBe(fresh.url);
    });

    test("with only a third-party key, a flat or a region is chosen, and its prices are shown", async () => {
      await using screen = await opened();
      const dialog = screen.page.getByRole("dialog");
      const next = () => dialog.getByRole("button", { name: "Next" }).click();
      await dialog.getByRole("button", { name: "I only have a third-party key" }).click();
      const { apiKey, apiSecret } = simulator.keys.thirdParty;
      await typeKeys(dialog.getByLabel("Third-party key"), apiKey);
      await typeKeys(dialog.getByLabel("Third-party secret"), "not-the-secret");
      await next();
      await screen.untilText("dialog [role=alert]", /does not know this key and secret\. .*401/);
      await typeKeys(dialog.getByLabel("Third-party secret"), apiSecret);
      await next();
      await screen.untilText("dialog", /Step 2 of 5: Place/);
      await next();
      await screen.untilText("dialog [role=alert]", /Enter the place and a name/);
      await typeKeys(dialog.getByLabel("Address", { exact: true }), "Strandvejen 12, 8000");
      await next();
      await screen.untilText("dialog [role=alert]", /Choose your address/);
      expect(await dialog.getByLabel("Address", { exact: true }).inputValue()).toBe("Strandvejen 12, 8000");
      await screen.picture("setup-place");
      expect(await axeViolations(screen)).toEqual([]);
      await dialog.getByLabel("Choose your address").selectOption("Strandvejen 12, 1. th, 8000 Aarhus C");
      await next();
      await screen.untilText("dialog", /Step 3 of 5/);
      await dialog.getByRole("button", { name: "Back" }).click();
      expect(await dialog.getByLabel("Address", { exact: true }).inputValue()).toBe(
        "Strandvejen 12, 1. th, 8000 Aarhus C",
      );
      await typeKeys(dialog.getByLabel("Region", { exact: true }), "DK9");
      await next();
      await screen.untilText("dialog [role=alert]", /does not know this place/);
      await typeKeys(dialog.getByLabel("Region", { exact: true }), "DK1");
      await next();
      await screen.untilText("dialog", /Step 3 of 5/);
      await next();
      await screen.untilText("dialog", /Step 4 of 5/);
      await dialog.getByRole("button", { name: "Skip" }).click();
      await screen.untilText("dialog", /Step 5 of 5/);
      await dialog.getByRole("button", { name: "Set up" }).click();
      await screen.untilText("dialog", /elbro has started with your home\./);
      expect(readFileSync(path.join(fresh.folder.path, "data/page.yaml"), "utf8")).toMatch(
        /places:\n +- name: Home\n +region: DK1/,
      );
      await dialog.getByRole("button", { name: "Open my home" }).click();
      await screen.untilText("#now .price", /\d/);
      await screen.picture("setup-place-now");
    });

    test.each([
      ["light", "da-DK"],
      ["dark", "sv-SE"],
    ] as const)(
      "%s, %s: no step is cut off at any size; axe finds no violation, light or dark",
      async (scheme, language) => {
        await using screen = await opened({ scheme, language });
        const { page } = screen;
        const dialog = page.getByRole("dialog");
        const submit = () => dialog.locator("button[type=submit]").click();
        const look = async (step: string) => {
          for (const size of ["wide", "pad", "phone"] as const) {
            await screen.resize(size);
            expect(await page.evaluate(MISFITS)).toEqual([]);
            await screen.picture(`setup-${step}-${size}-${scheme}`, "screen");
          }
          if (scheme === "light") expect(await violationsInBothSchemes(screen)).toEqual([]);
        };
        await typeKeys(dialog.locator("input").first(), simulator.keys.consumerKey ?? "");
        await look("1");
        await submit();
        await screen.untilText("dialog .setup-step", / 2 /);
        await look("2");
        await submit();
        await screen.untilText("dialog .setup-step", / 3 /);
        await look("3");
        await submit();
        await screen.untilText("dialog .setup-step", / 4 /);
        await look("4");
        await submit();
        await screen.untilText("dialog .setup-step", / 5 /);
        await look("5");
        await submit();
        await dialog.locator(".qr").waitFor();
        await screen.until("document.querySelector('dialog .strong')?.disabled === false");
        await look("6");
      },
    );
  });

  describe("before it is done", () => {
    beforeAll(start);

    test("the set-up of a home shows why the service refuses the key or fails", async () => {
      await using screen = await opened({ language: "da-DK" });
      const dialog = screen.page.getByRole("dialog");
      const tried = async (fault: Parameters<Simulator["setFaults"]>[0][number], pattern: RegExp) => {
        simulator.setFaults([fault]);
        await typeKeys(dialog.getByLabel("API-nøgle"), simulator.keys.consumerKey ?? "");
        await dialog.getByRole("button", { name: "Næste" }).click();
        await screen.untilText("dialog [role=alert]", pattern);
      };
      await expect.poll(() => dialog.getByLabel("API-nøgle").evaluate((field) => field.matches(":focus"))).toBe(true);
      const status = (code: number, errorCode: string) =>
        ({ fault: "status", operation: "*", status: code, errorCode }) as Parameters<Simulator["setFaults"]>[0][number];
      await tried(status(403, "plus_required"), /Abonnementet er udløbet/);
      await tried(status(401, "credential_expired"), /Nøglen er udløbet/);
      await tried({ fault: "status", operation: "*", status: 503 }, /Tjenesten melder fejl/);
      await screen.picture("setup-wrong-da");
      simulator.setFaults([]);
    });

    test("another machine needs the code of the log, which is valid for one browser", async () => {
      // Requests through a proxy on this machine may come from any other machine.
      const proxied = { "x-forwarded-for": "192.168.1.20" };
      const stateOf = async (headers: Record<string, string>) =>
        (await (
          await fetch(`${fresh.url}local/v1/setup`, { headers: { "x-elbro-page": "1", ...headers } })
        ).json()) as object;
      expect(await stateOf({})).toMatchObject({ state: "open" });
      expect(await stateOf(proxied)).toMatchObject({ state: "code" });
      expect((await fresh.post("/test", {}, proxied)).status).toBe(401);
      expect((await fresh.post("", {}, proxied)).status).toBe(401);
      const { code } = fresh;
      expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/);
      await using screen = await screens.visit(fresh.url);
      await screen.page.setExtraHTTPHeaders(proxied);
      await screen.page.goto(fresh.url);
      await screen.page.locator(".setup-card button").click();
      const dialog = screen.page.getByRole("dialog");
      await screen.untilText("dialog", /Enter the code from elbro’s log/);
      await typeKeys(dialog.getByLabel("Code"), "AAAA-AAAA");
      await dialog.getByRole("button", { name: "Next" }).click();
      await screen.untilText("dialog [role=alert]", /Wrong code/);
      await typeKeys(dialog.getByLabel("Code"), code.toLowerCase());
      await dialog.getByRole("button", { name: "Next" }).click();
      await screen.untilText("dialog", /Step 1 of 5/);
      const [cookie] = await screen.page.context().cookies();
      const name = `elbro_setup_${new URL(fresh.url).port}`;
      expect(cookie).toMatchObject({ name, httpOnly: true, sameSite: "Strict" });
      await expect.poll(() => fresh.code).not.toBe(code);
      expect((await fresh.post("/code", { code }, proxied)).status).toBe(401);
    });
  });
});
