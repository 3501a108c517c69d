/** Settings of the configuration: current values, a form for each, and a test of notifications. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SavedSetting, SavedSettings } from "../../api/settings.ts";
import { type Field, fieldOf, type Json, type JsonSchema } from "../forms/fields.ts";
import { type FormTexts, formTextsIn } from "../forms/form-texts.ts";
import { changeCount } from "../history/changes.ts";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { ask, get, refusalIn } from "../requests.ts";
import { labelOf, type SettingTools } from "./setting-tools.ts";
import { useTexts } from "./system-context.ts";

export function Settings() {
  const t = useTexts();
  const page = usePage();
  const [tools, setTools] = useState<SettingTools | null>(null);
  const [answer, setAnswer] = useState<Answer>({ text: "" });
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const run = async (work: () => Promise<void>, name?: SavedSetting["name"]) => {
    try {
      await work();
    } catch (thrown) {
      setAnswer({ name, text: refusalText(refusalIn(thrown), page.t) });
    }
  };
  const read = async () => {
    const [saved, schema, texts] = await Promise.all([
      get<SavedSettings>("local/v1/settings"),
      get<JsonSchema>("local/v1/configuration/schema"),
      formTextsIn(page.t.language),
    ]);
    setTools({ saved, schema, texts });
    return { saved, schema, texts };
  };
  // Also after a change elsewhere, such as one that is undone.
  useEffect(() => void run(async () => void (await read())), [changeCount.value]);
  const close = (name: SavedSetting["name"], done: string | null) => {
    setDialog(null);
    setAnswer({ name, text: done ?? "" });
  };
  const open = (name: SavedSetting["name"]) =>
    run(async () => {
      setAnswer({ text: "" });
      // Other programs change the file too, so the form starts with its current content.
      const [{ SettingDialog }, now] = await Promise.all([import("./setting-dialog.tsx"), read()]);
      const setting = now.saved.settings.find((each) => each.name === name);
      if (setting)
        setDialog(<SettingDialog t={t} tools={now} setting={setting} onClose={(done) => close(name, done)} />);
    }, name);
  const test = () =>
    run(async () => {
      setAnswer({ name: "notify", text: page.t("sending") });
      await ask("POST", "local/v1/notifications/test", {});
      setAnswer({ name: "notify", text: t("notify_sent") });
    }, "notify");
  if (!tools) return null;
  const { saved, texts } = tools;
  const waiting = saved.waiting.map((key) => texts[key]?.label ?? key);
  return (
    <section class="block" id="settings">
      <h3>{t("settings")}</h3>
      <p class="faint">{fixedText(saved, t) ?? t("settings_about", { file: saved.source ?? "" })}</p>
      <ul class="key-list">
        {saved.settings.map((setting) => (
          <li key={setting.name}>
            <div class="key-line">
              <p>
                <strong id={`setting-${setting.name}`}>{labelOf(texts, setting.name)}</strong>
                <span class="faint">
                  {summaryOf(setting, tools, {
                    t,
                    number: (value) => new Intl.NumberFormat(page.t.language).format(value),
                    yesNo: (value) => page.t(value ? "form_yes" : "form_no"),
                  })}
                </span>
              </p>
              <div class="actions">
                {setting.name === "notify" && setting.value !== null && (
                  <button type="button" onClick={() => void test()}>
                    {t("notify_test")}
                  </button>
                )}
                {saved.fixed === null && (
                  <button
                    type="button"
                    aria-describedby={`setting-${setting.name}`}
                    onClick={() => void open(setting.name)}
                  >
                    {page.t("plan_edit")}
                  </button>
                )}
              </div>
            </div>
            <p class="answer" role="status">
              {answer.name === setting.name && answer.text}
            </p>
          </li>
        ))}
      </ul>
      {waiting.length > 0 && <p class="note">{t("settings_waiting", { keys: waiting.join(", ") })}</p>}
      <p class="wrong" role="alert">
        {answer.name === undefined && answer.text}
      </p>
      {dialog}
    </section>
  );
}

interface Answer {
  readonly text: string;
  /** The setting that it is about; absent if it is about all. */
  readonly name?: SavedSetting["name"] | undefined;
}

interface Words {
  readonly t: Texts;
  readonly number: (value: number) => string;
  readonly yesNo: (value: boolean) => string;
}

type Texts = ReturnType<typeof useTexts>;

/** Reason why this page cannot change settings, in its language; null if it can. */
function fixedText({ fixed }: SavedSettings, t: Texts): string | null {
  if (fixed === null) return null;
  return t("settings_no_file");
}

/** Current values, in one line. */
function summaryOf({ name, value, secrets }: SavedSetting, { schema, texts }: SettingTools, words: Words): string {
  const { t } = words;
  const below = schema.properties?.[name];
  if (value === null && secrets.length === 0) return t("setting_none");
  const field = fieldOf(below ?? {}, name);
  if (field.kind !== "group") return shown(field, value as Json, texts, words);
  const values = (value ?? {}) as Readonly<Record<string, Json>>;
  const parts = field.fields.flatMap((each) => {
    const label = labelOf(texts, each.path);
    if (secrets.includes(each.name)) return [`${label}: ${t("setting_secret")}`];
    const own = values[each.name];
    return own === undefined ? [] : [`${label}: ${shown(each, own, texts, words)}`];
  });
  return parts.length === 0 ? t("setting_default") : parts.join(" · ");
}

function shown(field: Field, value: Json, texts: FormTexts, { number, yesNo }: Words): string {
  if (typeof value === "boolean") return yesNo(value);
  if (typeof value === "number") return number(value);
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return values.map((each) => texts[field.path]?.options?.[String(each)] ?? String(each)).join(", ");
}
