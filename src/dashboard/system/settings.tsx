/** Settings of the configuration: current values, a form for each, and a test of notifications. */
import { useEffect, useState } from "preact/hooks";
import type { SavedSetting, SavedSettings } from "../../api/settings.ts";
import { Wrong } from "../elements.tsx";
import { type Field, fieldOf, type Json } from "../forms/fields.ts";
import { configurationSchema, type FormTexts, formTextsIn } from "../forms/form-texts.ts";
import { changeCount } from "../history/changes.ts";
import { usePage } from "../page.ts";
import { call } from "../requests.ts";
import { Block, ListRow, useList } from "./block.tsx";
import { labelOf, type SettingTools } from "./setting-tools.ts";
import { useTexts } from "./system-context.ts";

export function Settings() {
  const t = useTexts();
  const page = usePage();
  const [tools, setTools] = useState<SettingTools | null>(null);
  const { answerOf, say, run, dialog, setDialog } = useList<SavedSetting["name"]>();
  const read = async () => {
    const [saved, schema, texts] = await Promise.all([
      call("GET /local/v1/settings", {}),
      configurationSchema(),
      formTextsIn(page.t.language),
    ]);
    setTools({ saved, schema, texts });
    return { saved, schema, texts };
  };
  // Also after a change elsewhere, such as one that is undone.
  useEffect(() => void run(read), [changeCount.value]);
  const open = (name: SavedSetting["name"]) =>
    run(async () => {
      say("");
      // Other programs change the file too, so the form starts with its current content.
      const [{ SettingDialog }, now] = await Promise.all([import("./setting-dialog.tsx"), read()]);
      const setting = now.saved.settings.find((each) => each.name === name);
      const close = (done: string | null) => {
        setDialog(null);
        say(done ?? "", name);
      };
      if (setting) setDialog(<SettingDialog tools={now} setting={setting} onClose={close} />);
    }, name);
  const test = () =>
    run(async () => {
      say(page.t("sending"), "notify");
      await call("POST /local/v1/notifications/test", {});
      say(t("notify_sent"), "notify");
    }, "notify");
  if (!tools) return null;
  const { saved, texts } = tools;
  const waiting = saved.waiting.map((key) => texts[key]?.label ?? key);
  return (
    <Block id="settings" title={t("settings")}>
      <p class="faint">{fixedText(saved, t) ?? t("settings_about", { file: saved.source ?? "" })}</p>
      <ul class="key-list">
        {saved.settings.map((setting) => (
          <SettingRow
            key={setting.name}
            setting={setting}
            tools={tools}
            answer={answerOf(setting.name)}
            onTest={() => void test()}
            onOpen={() => void open(setting.name)}
          />
        ))}
      </ul>
      {waiting.length > 0 && <p class="note">{t("settings_waiting", { keys: waiting.join(", ") })}</p>}
      <Wrong text={answerOf()} />
      {dialog}
    </Block>
  );
}

interface SettingRowProps {
  readonly setting: SavedSetting;
  readonly tools: SettingTools;
  readonly answer: string;
  readonly onTest: () => void;
  readonly onOpen: () => void;
}

function SettingRow({ setting, tools, answer, onTest, onOpen }: SettingRowProps) {
  const t = useTexts();
  const page = usePage();
  const { name, value } = setting;
  const id = `setting-${name}`;
  const words: Words = {
    t,
    number: (each) => new Intl.NumberFormat(page.t.language).format(each),
    yesNo: (each) => page.t(each ? "form_yes" : "form_no"),
  };
  return (
    <ListRow
      id={id}
      name={labelOf(tools.texts, name)}
      facts={<span class="faint">{summaryOf(setting, tools, words)}</span>}
      answer={answer}
      buttons={
        <>
          {name === "notify" && value !== null && (
            <button type="button" onClick={onTest}>
              {t("notify_test")}
            </button>
          )}
          {tools.saved.fixed === null && (
            <button type="button" aria-describedby={id} onClick={onOpen}>
              {page.t("plan_edit")}
            </button>
          )}
        </>
      }
    />
  );
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
