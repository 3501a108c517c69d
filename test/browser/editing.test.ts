import { chmodSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "../../src/core/time/interval.ts";
import { axeViolations, MISFITS, OVERLAPS, violationsInBothSchemes, WRAPPED } from "../support/browser/page-checks.ts";
import { type LookOptions, type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import { unfold } from "../support/browser/views.ts";
import { TestDaemon } from "../support/daemon/test-daemon.ts";
import { EmulatedHomeAssistant } from "../support/home/emulated-home-assistant.ts";
import { MqttPlug } from "../support/plugs/mqtt-plug.ts";
import { lacks } from "../support/runner/needs.ts";

const START = Date.parse("2026-03-10T14:20:00Z");
const HOUSE = `# What the house does
plans:
  # Never in the evening
  - { name: Car, home: home, kind: slots, hours: 2, kwh: 11 } # two hours
  - { name: Freezer, home: home, kind: avoid, hours: 1 }
plugs:
  - { name: Car plug, family: tasmota, topic: heater, plan: car }
`;
const TASMOTA = {
  ...{ dn: "Tasmota", fn: ["Lamp"], md: "Nous A1T", t: "lamp", ft: "%prefix%/%topic%/", tp: ["cmnd", "stat", "tele"] },
  rl: [1, 0],
};

const fileText = (daemon: TestDaemon) => readFileSync(path.join(daemon.dir.path, "page.yaml"), "utf8");

async function started(more = ""): Promise<TestDaemon> {
  const daemon = await TestDaemon.start({ start: START, simulator: { homes: ["danish"] }, yaml: HOUSE + more });
  await daemon.clock.runUntil(START + 3 * MINUTE_MS);
  await daemon.untilTomorrow();
  return daemon;
}

describe.skipIf(lacks("Chromium"))(
  "editing of plans and plugs on the dashboard (in Chromium; skipped if it is not installed)",
  () => {
    let screens: Screens;
    /** Daemon of tests that save nothing. */
    let daemon: TestDaemon;
    /** Daemon of tests that save plans under names of their own. */
    let saving: TestDaemon;
    beforeAll(async () => {
      screens = await Screens.start();
      daemon = await started();
      saving = await started();
    });
    afterAll(async () => {
      await saving?.[Symbol.asyncDispose]();
      await daemon?.[Symbol.asyncDispose]();
      await screens?.[Symbol.asyncDispose]();
    });

    async function looking(daemon: TestDaemon, options: LookOptions = {}): Promise<Screen> {
      const screen = await screens.look(daemon, { view: "plans", ...options });
      await screen.untilText("#plans", /Car plug/);
      return screen;
    }
    const dialog = ({ page }: Screen) => page.getByRole("dialog");
    const card = ({ page }: Screen, name: string) => page.getByRole("article", { name, exact: true });
    /** Chooses an action of a plug in its menu. */
    const choose = async (screen: Screen, plug: string, action: string) => {
      await card(screen, plug).locator("[aria-expanded]").click();
      await card(screen, plug).getByRole("button", { name: action }).click();
    };

    test("a new plan has a preview of hours and cost, and can be saved, changed, copied and deleted", async () => {
      await using screen = await looking(saving, { size: "phone" });
      const { page } = screen;
      await page.getByRole("button", { name: "New plan" }).click();
      await page.getByRole("button", { name: "Something else" }).click();
      await typeKeys(dialog(screen).getByLabel("Name", { exact: true }), "Washer");
      await dialog(screen).getByLabel("Ready by").fill("07:00");
      // Only the preview of the last field has a cost.
      await typeKeys(dialog(screen).getByLabel("Energy per round, kWh"), "1.4");
      const seen = await screen.untilText("dialog .preview", /(today|tomorrow).*Costs DKK \d\.\d\d/i);
      await expect.poll(() => page.locator("dialog .lane i").count()).toBe(1);
      await screen.picture("plan-new-phone");
      await dialog(screen).getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans .edited", /Washer is saved\./);
      await expect.poll(() => dialog(screen).count()).toBe(0);
      await screen.untilText("#plans", /Washer Planned/);
      const [span = "none"] = /\d\d:\d\d–\d\d:\d\d/.exec(seen) ?? [];
      expect(await card(screen, "Washer").textContent()).toContain(span);
      await unfold(screen, "Washer");
      expect(fileText(saving)).toMatch(/washer:\n.*name: Washer\n.*home: home\n.*kind: window\n.*hours: 2\n/);

      await card(screen, "Washer").getByRole("button", { name: "Edit" }).click();
      await typeKeys(dialog(screen).getByLabel("Hours", { exact: true }), "3");
      await dialog(screen).getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans .edited", /Washer is saved/);
      expect(fileText(saving)).toMatch(/name: Washer\n.*home: home\n.*kind: window\n.*hours: 3\n/);

      await card(screen, "Washer").getByRole("button", { name: "Copy" }).click();
      expect(await dialog(screen).getByLabel("Name", { exact: true }).inputValue()).toBe("Washer (copy)");
      await typeKeys(dialog(screen).getByLabel("Name", { exact: true }), "Dryer");
      await dialog(screen).getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans", /Dryer Planned/);

      await card(screen, "Washer").getByRole("button", { name: "Delete" }).click();
      await screen.untilText("dialog", /Delete the plan Washer\?/);
      await screen.picture("plan-delete-phone");
      await dialog(screen).getByRole("button", { name: "Delete" }).click();
      await screen.untilText("#plans .edited", /Washer is deleted/);
      await screen.until("!document.querySelector('#plan-washer')");
      expect(fileText(saving)).not.toContain("name: Washer\n");
      const toast = page.locator(".toast").filter({ hasText: "Deleted: Washer" });
      await toast.getByRole("button", { name: "Undo" }).click();
      await screen.untilText(".toast", /^Undone\.$/);
      expect(fileText(saving)).toContain("name: Washer\n");
      expect(screen.errors).toEqual([]);
    });

    test("a template fills the form and asks three questions; the rest is in a fold", async () => {
      await using screen = await looking(saving, { size: "phone" });
      await screen.page.getByRole("button", { name: "New plan" }).click();
      await screen.picture("plan-templates-phone");
      await screen.page.getByRole("button", { name: "Dishwasher" }).click();
      const form = dialog(screen);
      expect(await form.getByLabel("Name", { exact: true }).inputValue()).toBe("Dishwasher");
      await screen.untilText("dialog .preview", /Costs DKK \d\.\d\d/);
      await expect.poll(() => form.locator(".schema-form > .field-row").count()).toBe(4);
      expect(await form.getByLabel("Kind").isVisible()).toBe(false);
      await screen.picture("plan-template-phone");
      await form.getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans .edited", /Dishwasher is saved\./);
      expect(fileText(saving)).toMatch(
        /name: Dishwasher\n.*icon: dishwasher\n.*home: home\n.*kind: window\n.*hours: 2\n/,
      );
    });

    test("the form shows only the fields of the plan's kind, and marks missing required ones", async () => {
      await using screen = await looking(saving);
      const { page } = screen;
      await page.getByRole("button", { name: "New plan" }).click();
      await page.getByRole("button", { name: "Something else" }).click();
      const form = dialog(screen);
      await typeKeys(form.getByLabel("Name", { exact: true }), "Heater");
      await form.getByLabel("Kind").selectOption({ label: "Whenever it is cheap" });
      await expect.poll(() => form.getByLabel("Hours", { exact: true }).count()).toBe(0);
      await form.getByRole("button", { name: "Save" }).click();
      expect(await form.getByLabel("Limit for cheap").getAttribute("aria-invalid")).toBe("true");
      expect(await form.locator(".schema-form > .field-row").count()).toBe(6);
      await typeKeys(form.getByLabel("Limit for cheap"), "30%");
      await screen.untilText("dialog .preview", /\d\d:\d\d–\d\d:\d\d/);
      await form.getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans .edited", /Heater is saved/);
      expect(fileText(saving)).not.toMatch(/name: Heater\n(.*\n){1,3}.*hours/);
    });

    test("the preview shows a plan whose hours have begun as planned, not as running", async () => {
      await using screen = await looking(daemon);
      await screen.page.getByRole("button", { name: "New plan" }).click();
      await screen.page.getByRole("button", { name: "Something else" }).click();
      const form = dialog(screen);
      await form.getByLabel("Kind").selectOption({ label: "Always except in expensive hours" });
      await typeKeys(form.getByLabel("Hours", { exact: true }), "1");
      // It is 15:23 or later: the clock runs on until tomorrow's prices are there.
      await screen.untilText("dialog .preview", /[Tt]oday 1[5-9]:\d\d–\d\d:\d\d.*Planned at the cheapest time/);
    });

    test("an error of the daemon appears at its field in the dialog", async () => {
      await using screen = await looking(daemon);
      await screen.page.getByRole("button", { name: "New plan" }).click();
      await screen.page.getByRole("button", { name: "Something else" }).click();
      const form = dialog(screen);
      await typeKeys(form.getByLabel("Name", { exact: true }), "Car");
      await form.getByRole("button", { name: "Save" }).click();
      await form
        .getByRole("alert")
        .filter({ hasText: /Refused: a plan "car" exists already/ })
        .waitFor();
      await typeKeys(form.getByLabel("Name", { exact: true }), "Oven");
      await typeKeys(form.getByLabel("Hours", { exact: true }), "3");
      await form.getByLabel("Not before").fill("12:00");
      await form.getByLabel("Ready by").fill("13:00");
      await form.getByRole("button", { name: "Save" }).click();
      await screen.untilText("dialog", /hours.*expected at most|expected at most 1/);
      await form.getByRole("button", { name: "Cancel" }).click();
      await form.getByRole("button", { name: "Discard entries" }).click();
      await expect.poll(() => form.count()).toBe(0);
    });

    test("in Danish, a mistake of a field and the refusal of a plug's test are in Danish", async () => {
      await using daemon = await started();
      await using screen = await looking(daemon, { language: "da-DK" });
      const test = () => choose(screen, "Car plug", "Tænd i 10 sek.");
      await test();
      await screen.untilText("#plans .plug >> nth=0", /Afvist: den svarer ikke/);
      await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: false, powerOn: "last" });
      await plug.connect(daemon.brokerPort);
      await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
      await screen.untilText("#plans .plug >> nth=0", /Slukket/);
      await test();
      await screen.untilText("#plans .plug >> nth=0", /Tændt til/);
      await test();
      await screen.untilText("#plans .plug >> nth=0", /Afvist: den er allerede tændt/);
      await unfold(screen, "Car");
      await card(screen, "Car").getByRole("button", { name: "Rediger" }).click();
      const form = dialog(screen);
      await form.getByLabel("Ikke før").fill("12:00");
      await form.getByLabel("Færdig kl.").fill("13:00");
      await form.getByRole("button", { name: "Gem" }).click();
      await screen.untilText(
        "dialog",
        /Der er kun 1 timer mellem ”ikke før” og ”færdig kl\.”; 2 timer passer ikke ind\./,
      );
      await expect.poll(() => form.locator(".wrong[lang=en]:not(:empty)").count()).toBe(0);
    });

    test("a plan that a plug follows cannot be deleted; the dialog names the plug", async () => {
      await using screen = await looking(daemon);
      await unfold(screen, "Car");
      await card(screen, "Car").getByRole("button", { name: "Delete" }).click();
      await screen.untilText("dialog", /Other entries refer to it. Change or delete them first: Car plug/);
      expect(await dialog(screen).getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    });

    test("with a read-only elbro.yaml, plans are changed and created in page.yaml", async () => {
      chmodSync(path.join(saving.dir.path, "elbro.yaml"), 0o444);
      await using screen = await looking(saving);
      await unfold(screen, "Car");
      await card(screen, "Car").getByRole("button", { name: "Edit" }).click();
      await typeKeys(dialog(screen).getByLabel("Hours", { exact: true }), "3");
      await dialog(screen).getByRole("button", { name: "Save" }).click();
      await screen.until("!document.querySelector('dialog')");
      expect(fileText(saving)).toContain("hours: 3");
      await screen.page.getByRole("button", { name: "New plan" }).click();
      await screen.page.getByRole("button", { name: "Something else" }).click();
      await typeKeys(dialog(screen).getByLabel("Name", { exact: true }), "Oven");
      await dialog(screen).getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans .edited", /Oven is saved/);
      expect(fileText(saving)).toContain("Oven");
    });

    test("the focus stays in the dialog, and then returns to the button that opened it", async () => {
      await using screen = await looking(daemon);
      await unfold(screen, "Car");
      const edit = card(screen, "Car").getByRole("button", { name: "Edit" });
      await edit.focus();
      await screen.page.keyboard.press("Enter");
      await dialog(screen).waitFor();
      for (let i = 0; i < 40; i++) {
        await screen.page.keyboard.press("Tab");
        expect(
          await screen.page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')",
          ),
        ).toBe(true);
      }
      const isFocused = () => edit.evaluate((element) => element === element.ownerDocument.activeElement);
      await screen.page.keyboard.press("Escape");
      await screen.until("!document.querySelector('dialog')");
      expect(await isFocused()).toBe(true);
      await screen.page.keyboard.press("Enter");
      await dialog(screen).getByRole("button", { name: "Cancel" }).click();
      await screen.until("!document.querySelector('dialog')");
      expect(await isFocused()).toBe(true);
    });

    test("a plug that announces itself can be added, tested and deleted", async () => {
      await using daemon = await started();
      await using plug = new MqttPlug("tasmota", { now: () => daemon.clock.now(), on: false, powerOn: "last" });
      await plug.connect(daemon.brokerPort);
      await daemon.watcher.publish("tasmota/discovery/4F2100000000/config", JSON.stringify(TASMOTA), { retain: true });
      await using screen = await looking(daemon, { size: "phone" });
      const { page } = screen;
      await page.getByRole("button", { name: "Add a plug" }).click();
      await screen.untilText("dialog", /Lamp Nous A1T Its own timer switches it off.*runs of up to 18 hours/);
      await screen.picture("plug-announced-phone");
      await dialog(screen).getByRole("button", { name: "By its address" }).click();
      const url = dialog(screen).getByLabel("Address (HTTP)");
      expect(await url.getAttribute("placeholder")).toBe("http://192.168.1.40");
      await expect.poll(() => dialog(screen).getByLabel("Entity in Home Assistant").count()).toBe(0);
      await screen.picture("plug-by-address-phone");
      await dialog(screen).getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Add a plug" }).click();
      await dialog(screen).getByRole("button", { name: "Add: Lamp" }).click();
      await dialog(screen)
        .getByRole("group", { name: "Plan" })
        .getByLabel("Plan", { exact: true })
        .selectOption({ label: "Car" });
      expect(await dialog(screen).getByLabel("Topic of the plug").inputValue()).toBe("lamp");
      const help = dialog(screen).getByRole("link", { name: "Help Topic of the plug", includeHidden: true });
      expect(await help.getAttribute("href")).toBe("help/switch-a-plug#add-it");
      await expect.poll(() => dialog(screen).getByText("For custom", { exact: false }).count()).toBe(0);
      await screen.picture("plug-new-phone");
      await dialog(screen).getByRole("button", { name: "Save" }).click();
      await screen.untilText("#plans .edited", /Lamp is saved\. Test it below/);
      expect(new URL(page.url()).hash).toBe("#plans/plug-lamp");
      await screen.untilText("#plans", /Lamp .*Follows Car/);
      expect(fileText(daemon)).toMatch(/name: Lamp\n.*family: tasmota\n.*topic: lamp\n/);

      await daemon.clock.runUntil(daemon.clock.now() + MINUTE_MS);
      await choose(screen, "Car plug", "Switch on for 10 s");
      await screen.untilText("#plans .plug >> nth=0", /On until \d\d:\d\d/);
      await expect.poll(() => plug.device.on).toBe(true);
      await choose(screen, "Lamp", "Delete");
      await dialog(screen).getByRole("button", { name: "Delete" }).click();
      await screen.untilText("#plans .edited", /Lamp is deleted/);
      await screen.until("!document.querySelector('#plug-lamp')");
    });

    test("a switch of Home Assistant is found by its room, added by keyboard, and shows its power while it is tested", async () => {
      await using homeAssistant = await EmulatedHomeAssistant.start();
      homeAssistant.show("switch.heater", "off", { friendly_name: "Heater" });
      homeAssistant.show("sensor.heater_power", "0", { unit_of_measurement: "W" });
      homeAssistant.show("input_boolean.guests", "off", { friendly_name: "Guests" });
      Object.assign(homeAssistant.registries, {
        "config/entity_registry/list_for_display": {
          entities: ["switch.heater", "sensor.heater_power"].map((ei) => ({ ei, di: "plug", ai: "bath" })),
        },
        "config/device_registry/list": [{ id: "plug" }],
        "config/area_registry/list": [{ area_id: "bath", name: "Bathroom" }],
      });
      await using daemon = await started(
        `home_assistant: { url: "${homeAssistant.url}", token: ${homeAssistant.token} }\n`,
      );
      await using screen = await looking(daemon, { size: "phone" });
      const { page } = screen;
      await page.getByRole("button", { name: "Add a plug" }).click();
      await dialog(screen).getByRole("button", { name: "Entity of Home Assistant" }).click();
      await screen.untilText(
        "dialog",
        /Switches of Home Assistant: 2.*Guests.*Heater Bathroom · switch.heater Measures its power/s,
      );
      expect(await axeViolations(screen)).toEqual([]);
      expect(await screen.page.evaluate(MISFITS)).toEqual([]);
      await typeKeys(dialog(screen).getByLabel("Search by name or room"), "bathr");
      await screen.untilText("dialog", /Switches of Home Assistant: 1/);
      await screen.picture("plug-entities-phone");
      await page.keyboard.press("Enter");
      await expect.poll(() => dialog(screen).getByLabel("Name", { exact: true }).inputValue()).toBe("Heater");
      await dialog(screen)
        .getByRole("group", { name: "Plan" })
        .getByLabel("Plan", { exact: true })
        .selectOption({ label: "Car" });
      await dialog(screen).getByRole("button", { name: "Save" }).click();
      await screen.untilText(".plug:has(#plug-heater)", /Heater off/i);
      expect(fileText(daemon)).toMatch(/entity: switch\.heater\n(.*\n)*? +power:\n +entity: sensor\.heater_power\n/);
      await choose(screen, "Heater", "Switch on for 10 s");
      await expect.poll(() => homeAssistant.calls).toContain('homeassistant/turn_on {"entity_id":"switch.heater"}');
      homeAssistant.show("sensor.heater_power", "1950");
      await daemon.clock.runUntil(daemon.clock.now() + 2 * SECOND_MS);
      await screen.untilText(".plug:has(#plug-heater)", /Heater on · 1,950.W/i);
    });

    test("without Home Assistant the page says so, and leads to its connection", async () => {
      await using daemon = await started();
      await using screen = await looking(daemon);
      await screen.page.getByRole("button", { name: "Add a plug" }).click();
      await dialog(screen).getByRole("button", { name: "Entity of Home Assistant" }).click();
      await screen.untilText("dialog", /No Home Assistant is connected/);
      await dialog(screen).getByRole("link", { name: "Connect Home Assistant" }).click();
      await screen.untilText("dialog h2", /Home Assistant/);
      expect(new URL(screen.page.url()).hash).toBe("#system/setting-home_assistant");
    });

    test("the actions of a plug are in a menu, which works with the keyboard and returns the focus", async () => {
      await using screen = await looking(daemon);
      const { keyboard } = screen.page;
      const button = card(screen, "Car plug").getByRole("button", { name: "Actions for Car plug" });
      const focused = () => screen.page.evaluate("document.activeElement.textContent");
      const isFocused = () => button.evaluate((element) => element === element.ownerDocument.activeElement);
      await button.focus();
      await keyboard.press("Enter");
      await expect.poll(() => button.getAttribute("aria-expanded")).toBe("true");
      for (const name of ["Switch on for 10 s", "Edit", "Copy", "Delete"]) {
        await keyboard.press("Tab");
        expect(await focused()).toBe(name);
      }
      await keyboard.press("Escape");
      await expect.poll(() => button.getAttribute("aria-expanded")).toBe("false");
      expect(await isFocused()).toBe(true);
      await choose(screen, "Car plug", "Delete");
      await screen.untilText("dialog", /Delete the plug Car plug\?/);
      await keyboard.press("Escape");
      await screen.until("!document.querySelector('dialog')");
      expect(await isFocused()).toBe(true);
    });

    test("a read-only key shows the plugs without buttons", async () => {
      await using screen = await looking(daemon);
      await screen.page.route("**/local/v1/session", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), control: false } });
      });
      await screen.page.reload();
      await screen.untilText("#plans", /Car plug/);
      await unfold(screen, "Car");
      const names = await screen.page.locator("#plans").getByRole("button").allTextContents();
      expect(names).toEqual(["Car", "Freezer"]);
    });

    describe("appearance", () => {
      test.each([
        ["light", "da-DK"],
        ["dark", "sv-SE"],
      ] as const)(
        "%s, %s: nothing is cut off at any size; axe finds no violation, light or dark",
        async (scheme, language) => {
          await using screen = await looking(daemon, { scheme, language });
          for (const size of ["wide", "pad", "phone"] as const) {
            await screen.resize(size);
            await screen.picture(`editing-page-${size}-${scheme}`);
            expect(await screen.page.evaluate(MISFITS)).toEqual([]);
            expect(await screen.page.evaluate(OVERLAPS)).toEqual([]);
          }
          if (scheme === "light") expect(await violationsInBothSchemes(screen)).toEqual([]);
          await unfold(screen, "Car");
          await card(screen, "Car").locator(".entry-buttons button").first().click();
          await screen.untilText("dialog .preview", /\d\d[.:]\d\d/);
          for (const size of ["wide", "pad", "phone"] as const) {
            await screen.resize(size);
            await screen.picture(`editing-plan-${size}-${scheme}`, "screen");
            expect(await screen.page.evaluate(MISFITS)).toEqual([]);
          }
          if (scheme === "light") expect(await violationsInBothSchemes(screen)).toEqual([]);
        },
      );

      test.each(["da-DK", "sv-SE", "nb-NO"])(
        "phone, %s: no button of an announced plug is wrapped",
        async (language) => {
          const config = JSON.stringify(TASMOTA);
          await daemon.watcher.publish("tasmota/discovery/4F2100000000/config", config, { retain: true });
          await using screen = await looking(daemon, { size: "phone", language });
          await screen.page.locator("#plugs-title + button").click();
          await screen.untilText("dialog", /Lamp/);
          expect(await screen.page.evaluate(WRAPPED)).toEqual([]);
          expect(await screen.page.evaluate(MISFITS)).toEqual([]);
        },
      );
    });
  },
);
