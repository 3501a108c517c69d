/** Blocks of the settings and of the connections: current values, a form for each, and tests. */
import { useEffect, useState } from "preact/hooks";
import type { SavedSetting } from "../../api/settings/settings.ts";
import { useSystemTexts } from "../context.ts";
import { Button, Wrong } from "../elements.tsx";
import { configurationSchema, type FieldText, formTextsIn, inWords, labelOf } from "../forms/form-texts.ts";
import { changeCount } from "../history/changes.ts";
import { usePage } from "../page.ts";
import { route } from "../route.ts";
import { call, readOrLast } from "../store/requests.ts";
import { Block, ListRow, useList } from "./block.tsx";
import { type SettingTools, trialText } from "./setting-tools.ts";

type Part = "settings" | "connections";

export function Settings({ part }: { readonly part: Part }) {
  const t = useSystemTexts();
  const { store } = usePage();
  const list = useList<string>();
  const { tools, open, test } = useSettings(part, list);
  const canEdit = tools?.saved.fixed === null && (part === "settings" || store.session.value?.admin === true);
  // The link of a problem opens the form of its connection.
  const named =
    part === "connections" && tools?.shown.find(({ name }) => route.value.entry === `setting-${name}`)?.name;
  useEffect(() => {
    if (canEdit && named) void open(named);
  }, [canEdit, named]);
  if (!tools) return null;
  const { saved, texts, shown } = tools;
  const waiting = saved.waiting.map((key) => texts[key]?.label ?? key);
  return (
    <Block id={part} title={t(part)}>
      <p class="faint">
        {saved.fixed === null && !canEdit
          ? t("connections_admin")
          : t(saved.fixed === null ? `about_${part}` : `fixed_${part}`, { file: saved.source ?? "" })}
      </p>
      <ul class="key-list">
        {shown.map((setting) => (
          <SettingRow
            key={setting.name}
            setting={setting}
            tools={tools}
            answer={list.answerOf(setting.name)}
            onTest={isTestable(setting, canEdit) ? () => void test(setting) : null}
            onOpen={canEdit ? () => void open(setting.name) : null}
          />
        ))}
      </ul>
      {part === "settings" && waiting.length > 0 && (
        <p class="note">{t("settings_waiting", { keys: waiting.join(", ") })}</p>
      )}
      <Wrong text={list.answerOf()} />
      {list.dialog}
    </Block>
  );
}

function isTestable({ name, is_connection, keys }: SavedSetting, canEdit: boolean): boolean {
  return keys.some(({ is_set }) => is_set) && (is_connection ? canEdit : name === "notify");
}

/** The settings of a block, and what its buttons do. */
function useSettings(part: Part, { say, run, setDialog }: ReturnType<typeof useList<string>>) {
  const t = useSystemTexts();
  const page = usePage();
  const [tools, setTools] = useState<(SettingTools & { readonly shown: readonly SavedSetting[] }) | null>(null);
  const read = async () => {
    const [saved, texts] = await Promise.all([readOrLast("GET /local/v1/settings", {}), formTextsIn(page.t.language)]);
    const shown = saved.settings.filter(({ is_connection }) => is_connection === (part === "connections"));
    const now = { saved, texts, shown };
    setTools(now);
    return now;
  };
  // Also after a change elsewhere, such as one that is undone.
  useEffect(() => void run(read), [changeCount.value]);
  const open = (name: string) =>
    run(async () => {
      say("");
      // Other programs change the file too, so the form starts with its current content.
      const [{ SettingDialog }, schema, now] = await Promise.all([
        import("./setting-dialog.tsx"),
        configurationSchema(),
        read(),
      ]);
      const setting = now.shown.find((each) => each.name === name);
      const onClose = (text: string | null) => {
        setDialog(null);
        if (text !== null) say(text, name);
      };
      if (setting) setDialog(<SettingDialog {...{ setting, schema, onClose }} tools={now} />);
    }, name);
  const test = ({ name, is_connection: isConnection }: SavedSetting) =>
    run(async () => {
      say(isConnection ? t("connection_testing") : page.t("sending"), name);
      if (!isConnection) {
        await call("POST /local/v1/notifications/test", {});
        return say(t("notify_sent"), name);
      }
      const route = "POST /local/v1/settings/:connection/test";
      const trial = await call(route, { connection: name }, { body: { keys: {} } });
      say(inWords(tools?.texts ?? {}, trialText(t, name, trial, page.t("technical_detail"))), name);
    }, name);
  return { tools, open, test };
}

interface SettingRowProps {
  readonly setting: SavedSetting;
  readonly tools: SettingTools;
  readonly answer: string;
  /** Null for one that cannot be tested, or by this key. */
  readonly onTest: (() => void) | null;
  /** Null for one that cannot be changed, or by this key. */
  readonly onOpen: (() => void) | null;
}

function SettingRow({ setting, tools, answer, onTest, onOpen }: SettingRowProps) {
  const t = useSystemTexts();
  const page = usePage();
  const { name, is_connection: isConnection } = setting;
  const id = `setting-${name}`;
  const shown = (value: unknown, text: FieldText | undefined) => {
    if (typeof value === "boolean") return page.t(value ? "form_yes" : "form_no");
    if (typeof value === "number") return new Intl.NumberFormat(page.t.language).format(value);
    return [value]
      .flat()
      .map((each) => text?.options?.[String(each)] ?? String(each))
      .join(", ");
  };
  return (
    <ListRow
      id={id}
      name={labelOf(tools.texts, name)}
      facts={<span class="faint">{summaryOf(setting, tools, { t, shown })}</span>}
      answer={answer}
      buttons={
        <>
          {onTest && (
            <Button aria-describedby={isConnection ? id : undefined} onClick={onTest}>
              {t(isConnection ? "connection_test" : "notify_test")}
            </Button>
          )}
          {onOpen && <Button aria-describedby={id} onClick={onOpen} text={page.t("plan_edit")} />}
        </>
      }
    />
  );
}

interface Words {
  readonly t: ReturnType<typeof useSystemTexts>;
  readonly shown: (value: unknown, text: FieldText | undefined) => string;
}

/** What is set, in one line. The broker inside and a missing Home Assistant have nothing that is set. */
function summaryOf({ name, keys }: SavedSetting, { texts }: SettingTools, { t, shown }: Words): string {
  const text = (key: string, value: unknown) => (value === null ? t("setting_secret") : shown(value, texts[key]));
  const [only] = keys;
  if (only?.key === name) return only.value === null ? t("setting_none") : text(name, only.value);
  const parts = keys.flatMap(({ key, value, is_set }) =>
    is_set ? t("connection_part", { label: labelOf(texts, key), value: text(key, value) }) : [],
  );
  if (parts.length > 0) return parts.join(" · ");
  if (name === "mqtt") return t("connection_inside");
  return t(keys.some(({ value }) => value !== null) ? "setting_default" : "setting_none");
}
