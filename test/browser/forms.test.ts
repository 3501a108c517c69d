import { afterAll, beforeAll, describe, expect, test } from "vitest";
import english from "../../src/i18n/en.json" with { type: "json" };
import { startDashboard } from "../support/browser/dashboard-daemon.ts";
import { MISFITS, violationsInBothSchemes } from "../support/browser/page-checks.ts";
import { pageScript } from "../support/browser/page-script.ts";
import { type LookOptions, type Screen, Screens, typeKeys } from "../support/browser/screen.ts";
import type { TestDaemon } from "../support/daemon/test-daemon.ts";
import { lacks } from "../support/runner/needs.ts";

/** Script that shows the form of a plan or plug in place of the plans, and records the submitted value. */
const SHOW_FORM = `
  import { render } from "preact";
  import { Format, localeOf } from "./words/format.ts";
  import { PageStore } from "./store/page-store.ts";
  import { languageFor, translateIn } from "./words/language.ts";
  import { PageContext } from "./page.ts";
  import { browserCalendar } from "./words/browser-calendar.ts";
  import { formTextsIn } from "./forms/form-texts.ts";
  import { SchemaForm } from "./forms/schema-form.tsx";

  export async function showForm(section, value, props = {}) {
    const language = languageFor(navigator.languages, null);
    const [t, texts] = await Promise.all([translateIn("page", language), formTextsIn(language)]);
    const answer = await fetch(new URL("local/v1/configuration/schema", document.baseURI), { headers: { "X-Elbro-Page": "1" } });
    const schema = (await answer.json()).properties[section].items;
    const tools = { t, f: new Format(localeOf(language), browserCalendar("Europe/Copenhagen")), store: new PageStore(null) };
    const place = document.createElement("div");
    place.id = "form";
    place.className = "card";
    document.querySelector("main").replaceChildren(place);
    const show = (mistakes) => render(
      <PageContext.Provider value={tools}>
        <SchemaForm schema={schema} path={section + "[]"} texts={texts} value={value} mistakes={mistakes}
          draft="form" onCancel={() => {}} onSubmit={(submitted) => { window.submitted = submitted; }} {...props} />
      </PageContext.Provider>, place);
    window.refuse = show;
    window.submitted = undefined;
    show([]);
  }
`;

const PLUG = { name: "Washer", family: "tasmota", topic: "washer", plan: "washer" };

describe.skipIf(lacks("Chromium"))(
  "forms made from the configuration's schema (in Chromium; skipped if it is not installed)",
  () => {
    let screens: Screens;
    let daemon: TestDaemon;
    let script: string;
    /** Pages by their options. Each test shows its own form. */
    const pages = new Map<string, Promise<Screen>>();

    beforeAll(async () => {
      screens = await Screens.start();
      daemon = await startDashboard({ start: "2026-03-10T14:20:00Z" });
      script = await pageScript(SHOW_FORM);
    });
    afterAll(async () => {
      await daemon?.[Symbol.asyncDispose]();
      await screens?.[Symbol.asyncDispose]();
    });

    async function open(options: LookOptions): Promise<Screen> {
      const screen = await screens.look(daemon, options);
      await screen.page.route("**/form.js", (route) => route.fulfill({ contentType: "text/javascript", body: script }));
      await screen.untilText("#now .price", /\d/);
      return screen;
    }
    async function formOf(
      section: string,
      value: object,
      options: LookOptions = {},
      props: object = {},
    ): Promise<Screen> {
      const key = JSON.stringify({ language: "en-GB", ...options });
      const opened = pages.get(key) ?? open(options);
      pages.set(key, opened);
      const screen = await opened;
      const [name, written, given] = [section, value, props].map((each) => JSON.stringify(each));
      await screen.page.evaluate(
        `import(new URL("form.js", document.querySelector("script[src$='app.js']").src)).then(({ showForm }) => showForm(${name}, ${written}, ${given}))`,
      );
      await screen.page.locator("#form form").waitFor();
      return screen;
    }

    const submitted = (screen: Screen) => screen.page.evaluate("window.submitted");

    test("a plan has a field for each of its keys, with its description", async () => {
      const screen = await formOf("plans", {});
      const schema = (await (await daemon.request("/local/v1/configuration/schema")).json()) as {
        properties: { plans: { items: { properties: Record<string, { description?: string }> } } };
      };
      const { properties } = schema.properties.plans.items;
      await expect
        .poll(() => screen.page.locator("#form form > .field-row").count())
        .toBe(Object.keys(properties).length);
      const shown = await screen.text("#form");
      const ownTexts: Readonly<Record<string, { readonly label: string; readonly about?: string }>> = english.forms;
      for (const [key, { description = "" }] of Object.entries(properties))
        expect(shown).toContain(ownTexts[`plans[].${key}`]?.about ?? description);
      expect(shown).toContain("Default: yes.");
    });

    test("a filled-in plan is submitted in the form of the configuration", async () => {
      const screen = await formOf("plans", { name: "Washer", home: "home" }, { size: "phone" });
      const { page } = screen;
      await page.getByLabel("Kind").selectOption({ label: "Split hours" });
      await typeKeys(page.getByLabel("Hours", { exact: true }), "1h30m");
      await typeKeys(page.getByLabel("Highest price per kWh"), "1,5");
      await page.getByLabel("Ready by").fill("07:00");
      await page.getByRole("group", { name: "Days" }).getByLabel("Tue").check();
      await page.getByRole("group", { name: "Days" }).getByLabel("Mon").check();
      const fallback = page.getByRole("group", { name: "Without prices" });
      await fallback.getByRole("button", { name: "Add" }).click();
      await typeKeys(fallback.getByRole("textbox"), "02:00-05:00");
      await page.getByRole("button", { name: "Save" }).click();
      expect(await submitted(screen)).toEqual({
        ...{ name: "Washer", home: "home", kind: "slots", hours: "1h30m", max_price: 1.5, ready_by: "07:00" },
        ...{ days: ["mon", "tue"], fallback: ["02:00-05:00"] },
      });
      await screen.picture("form-plan-phone");
    });

    test("a value that violates the schema has an error at its field, and nothing is submitted", async () => {
      const screen = await formOf("plans", { name: "Washer", home: "Not a slug" });
      const { page } = screen;
      await typeKeys(page.getByLabel("Hours", { exact: true }), "soon");
      await typeKeys(page.getByLabel("Highest price per kWh"), "500");
      await typeKeys(page.getByLabel("Priority"), "1.5");
      await page.getByRole("button", { name: "Save" }).click();
      await screen.untilText("#form [role=alert]", /3 fields need another value\./);
      const wrong = async (label: string) => {
        const input = page.getByLabel(label, { exact: true });
        expect(await input.getAttribute("aria-invalid")).toBe("true");
        const ids = ((await input.getAttribute("aria-describedby")) ?? "").split(" ");
        return page.locator(`#${ids[1]}`).textContent();
      };
      expect(await wrong("Highest price per kWh")).toBe("At most 25.");
      expect(await wrong("Priority")).toBe("Enter a whole number.");
      expect(await page.getByLabel("Kind").getAttribute("aria-invalid")).toBe("true");
      const help = page.getByRole("link", { name: "Help Priority" });
      expect(await help.getAttribute("href")).toBe("help/configuration#plans[].priority");
      expect(await submitted(screen)).toBeUndefined();
      await screen.picture("form-plan-wrong");
    });

    test.each([
      ["en-GB", "Highest price per kWh", "Hours", "Save"],
      ["da-DK", "Højeste pris pr. kWh", "Timer", "Gem"],
    ])(
      "in %s a decimal keeps its text while it is typed, with a comma and with a point",
      async (language, priceName, hoursName, saveName) => {
        const screen = await formOf("plans", { name: "A", home: "home", kind: "window", hours: 2 }, { language });
        const price = screen.page.getByLabel(priceName, { exact: true });
        const hours = screen.page.getByLabel(hoursName, { exact: true });
        const shown = (text: string) => (language === "en-GB" ? text : text.replace(".", ","));
        for (const [text, value] of [
          ["1,5", 1.5],
          ["0.25", 0.25],
          ["-0,05", -0.05],
          ["10.00", 10],
        ] as const) {
          await typeKeys(price, text);
          expect(await price.inputValue()).toBe(text);
          await typeKeys(hours, "1,25");
          expect(await hours.inputValue()).toBe("1,25");
          expect(await price.inputValue()).toBe(shown(String(value)));
          await screen.page.getByRole("button", { name: saveName, exact: true }).click();
          expect(await submitted(screen)).toMatchObject({ max_price: value, hours: 1.25 });
        }
      },
    );

    test("an error appears when the field is left, and goes when the value is corrected", async () => {
      const screen = await formOf("plans", { name: "A", home: "home", kind: "window", hours: 2 });
      const price = screen.page.getByLabel("Highest price per kWh");
      const mistake = screen.page.locator(`#${(await price.getAttribute("aria-describedby"))?.split(" ")[1]}`);
      await typeKeys(price, "1,5 kr");
      expect(await mistake.textContent()).toBe("");
      await price.blur();
      expect(await mistake.textContent()).toBe("Enter a number.");
      expect(await price.inputValue()).toBe("1,5 kr");
      await typeKeys(price, "1,5");
      expect(await mistake.textContent()).toBe("");
      await typeKeys(price, "150,5");
      expect(await mistake.textContent()).toBe("At most 25.");
      await screen.page.getByRole("button", { name: "Save" }).click();
      expect(await submitted(screen)).toBeUndefined();

      await typeKeys(price, "1,5");
      await screen.page.evaluate(
        `window.refuse([{ path: "hours", text: "expected at most 1" }, { path: "", text: "another mistake" }])`,
      );
      await screen.untilText("#form", /expected at most 1.*another mistake/);
      await typeKeys(screen.page.getByLabel("Hours", { exact: true }), "1");
      await screen.until(`!/expected at most 1|another mistake/.test(document.querySelector("#form").textContent)`);
    });

    test("an error of the daemon appears at the field that it names", async () => {
      const screen = await formOf("plans", { name: "Washer", home: "home", kind: "window" });
      await screen.page.evaluate(`window.refuse([{ path: "hours", text: "expected hours, found nothing" }])`);
      await screen.untilText("#form", /expected hours, found nothing/);
      expect(await screen.page.getByLabel("Hours", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    });

    test("the form of a plug has nested objects, and a key that can be a text or a list", async () => {
      const screen = await formOf("plugs", { ...PLUG, family: "custom" });
      const { page } = screen;
      await page.getByRole("group", { name: "Plan" }).getByRole("combobox").selectOption({ label: "Several" });
      const plan = page.getByRole("group", { name: "Plan" }).first();
      await typeKeys(plan.getByRole("textbox"), "washer");
      await plan.getByRole("button", { name: "Add" }).click();
      await typeKeys(plan.getByRole("textbox").nth(1), "car");
      const on = page.getByRole("group", { name: "Message that switches it on", exact: true });
      await typeKeys(on.getByLabel("MQTT topic"), "washer/set");
      await typeKeys(on.getByLabel("Message"), "1");
      await typeKeys(page.getByLabel("Output"), "2");
      await page.getByRole("button", { name: "Save" }).click();
      await screen.picture("form-plug");
      expect(await submitted(screen)).toEqual({
        ...{ ...PLUG, family: "custom", plan: ["washer", "car"], channel: 2 },
        on: { topic: "washer/set", payload: "1" },
      });
    });

    test("forms made from the configuration's schema fields below More settings are hidden, and shown if one of them is invalid", async () => {
      const first = ["name", "kind", "hours"];
      const screen = await formOf("plans", { name: "Washer", home: "home", kind: "window", hours: 2 }, {}, { first });
      const { page } = screen;
      await expect.poll(() => page.locator("#form form > .field-row").count()).toBe(4);
      expect(await page.getByLabel("Highest price per kWh").isVisible()).toBe(false);
      await page.getByText("More settings").click();
      await typeKeys(page.getByLabel("Highest price per kWh"), "1000");
      await page.getByText("More settings").click();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("At most 25.").waitFor();
    });

    test.each([
      ["da-DK", "Færdig kl.", "Når det er billigt", "Planens effekt, mens den kører."],
      ["sv-SE", "Klar kl.", "När det är billigt", "Planens effekt medan den körs."],
      ["nb-NO", "Ferdig kl.", "Når det er billig", "Effekten til planen mens den kjører."],
    ])("in %s labels, options and descriptions are translated", async (language, label, option, about) => {
      const screen = await formOf("plans", {}, { language, size: "phone" });
      const shown = await screen.text("#form");
      expect(shown).toContain(label);
      expect(shown).toContain(about);
      await screen.page
        .locator("#form select", { has: screen.page.getByRole("option", { name: option }) })
        .first()
        .waitFor();
    });

    test.each([
      ["plans", "phone"],
      ["plugs", "wall"],
    ] as const)(
      "the form of %s, %s: nothing is cut off; axe finds no violation, light or dark",
      async (section, size) => {
        const screen = await formOf(section, section === "plugs" ? PLUG : {}, { size });
        await screen.page.getByRole("button", { name: "Save" }).click();
        expect(await screen.page.evaluate(MISFITS)).toEqual([]);
        expect(await violationsInBothSchemes(screen)).toEqual([]);
        await screen.picture(`form-${section}-${size}`);
      },
    );
  },
);
