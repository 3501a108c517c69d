/** The form of one setting, made from the schema of the configuration. A file of its own: it is loaded when it opens. */
import { useMemo, useState } from "preact/hooks";
import type { SavedSetting } from "../../api/settings/settings.ts";
import { useSystemTexts } from "../context.ts";
import { Dialog } from "../dialog.tsx";
import { Answer, Button, Help } from "../elements.tsx";
import { draftOf } from "../forms/drafts.ts";
import type { JsonObject, JsonSchema } from "../forms/fields.ts";
import { type FormTexts, inWords, labelOf } from "../forms/form-texts.ts";
import { SchemaForm, useSaving } from "../forms/schema-form.tsx";
import { usePage } from "../page.ts";
import { call } from "../store/requests.ts";
import { fieldHelpUrl } from "../words/help.ts";
import { changesOf, formOf, type SettingTools, savedText, trialText } from "./setting-tools.ts";

interface SettingProps {
  readonly tools: SettingTools;
  /** Schema of the configuration. */
  readonly schema: JsonSchema;
  readonly setting: SavedSetting;
}

interface SettingDialogProps extends SettingProps {
  /** `done` describes the result; null if nothing was changed. */
  readonly onClose: (done: string | null) => void;
}

/** Keys that are shown first. The others, such as a login that few need, are hidden unless set. */
const FIRST: Readonly<Record<string, readonly string[]>> = {
  notify: ["notify.topic_url", "notify.events", "notify.quiet_hours", "notify.language"],
};

export function SettingDialog(props: SettingDialogProps) {
  const t = useSystemTexts();
  const { t: words } = usePage();
  const { tools, schema, setting, onClose } = props;
  const { name, keys, is_connection: isConnection } = setting;
  const made = useSettingForm(props);
  const { draft, form, open, send, changes } = made;
  const isOverridden = keys.some(({ overrides }) => overrides);
  const reset = async () => {
    // What is not from the page is removed; otherwise the setting is as in the owner's file again.
    await (isOverridden ? send("DELETE", {}) : send("PUT", Object.fromEntries(open.map(({ key }) => [key, null]))));
  };
  return (
    <Dialog title={made.label} onClose={() => onClose(null)}>
      <SettingFacts tools={tools} schema={schema} setting={setting} />
      {draft && <p class="note">{words("draft")}</p>}
      <SchemaForm
        key={JSON.stringify(made.completed)}
        schema={form.schema}
        path=""
        texts={tools.texts}
        value={made.completed ?? draft ?? form.value}
        mistakes={made.mistakes}
        first={FIRST[name] ?? []}
        secretsSet={open.flatMap(({ key, is_secret, is_set }) => (is_secret && is_set ? key : []))}
        draft={`setting-${name}`}
        {...(made.hasFailed && { submitText: t("connection_save_anyway") })}
        canSubmit={Object.keys(changes).length > 0}
        onSubmit={() => void made.saveTested()}
        onCancel={() => onClose(null)}
        onChange={made.setValue}
        preview={isConnection && <Answer text={made.answer} />}
      >
        {isConnection && <Button onClick={() => void made.test()} text={t("connection_test")} />}
        {(isOverridden || (!isConnection && keys.some(({ is_set }) => is_set))) && (
          <Button class="quiet" onClick={() => void reset()} text={t("setting_reset")} />
        )}
      </SchemaForm>
    </Dialog>
  );
}

/** What was typed, what of it changes the setting, and the answers of the daemon. */
function useSettingForm({ tools, schema, setting, onClose }: SettingDialogProps) {
  const t = useSystemTexts();
  const { t: words } = usePage();
  const { saved, texts } = tools;
  const { name, keys, is_connection: isConnection } = setting;
  const open = keys.filter(({ outside }) => !outside);
  const form = useMemo(() => formOf(open, schema), []);
  const label = labelOf(texts, name);
  const [draft] = useState(() => draftOf(`setting-${name}`));
  const [value, setValue] = useState(draft ?? form.value);
  const [answer, setAnswer] = useState("");
  /** Entries with the address that answered in place of the typed one. */
  const [completed, setCompleted] = useState<JsonObject | null>(null);
  /** Entries whose test failed. */
  const [failed, setFailed] = useState<JsonObject | null>(null);
  const changes = changesOf(open, value);
  const { mistakes, ask, save } = useSaving(`setting-${name}`);
  const send = (method: "PUT" | "DELETE", values: object) => {
    const options = { revision: saved.revision, ...(method === "PUT" && { body: { keys: values } }) };
    const names = keys.map(({ key }) => key);
    return save(call(`${method} /local/v1/settings/:setting`, { setting: name }, options), (edited) =>
      onClose(savedText(t, label, names, edited)),
    );
  };
  const test = async () => {
    setAnswer(t("connection_testing"));
    const tried = call("POST /local/v1/settings/:connection/test", { connection: name }, { body: { keys: changes } });
    const trial = await ask(tried);
    setAnswer(trial ? inWords(texts, trialText(t, name, trial, words("technical_detail"))) : "");
    // Without an address, there is nothing to connect to.
    const works = trial?.works === true || trial?.problem === "not_set";
    const whole = { ...value, ...(trial?.completed as JsonObject | undefined) };
    const isCompleted = trial !== null && Object.keys(trial.completed).length > 0;
    if (isCompleted) setCompleted(whole);
    setValue(whole);
    setFailed(trial && !works ? whole : null);
    return works;
  };
  const hasFailed = failed === value;
  const saveTested = async () => {
    if (!isConnection || hasFailed || (await test())) await send("PUT", changes);
  };
  return {
    draft,
    form,
    open,
    label,
    answer,
    changes,
    mistakes,
    setValue,
    send,
    test,
    hasFailed,
    saveTested,
    completed,
  };
}

/** What a setting is about, when a change takes effect, and what of it is set elsewhere. */
function SettingFacts({ tools: { texts }, schema, setting }: SettingProps) {
  const t = useSystemTexts();
  const { name, keys, is_connection: isConnection } = setting;
  const { properties, description } = schema.properties?.[name] ?? {};
  const about = isConnection ? t("connection_secrets") : properties && (texts[name]?.about ?? description);
  const outside = keys.filter((key) => key.outside);
  return (
    <>
      <p class="faint">
        {[about, effectOf(setting, texts, t)].filter(Boolean).join(" ")} <Help href={fieldHelpUrl(name)} />
      </p>
      {outside.length > 0 && (
        <p class="note">{t("setting_outside", { keys: outside.map(({ key }) => labelOf(texts, key)).join(", ") })}</p>
      )}
    </>
  );
}

/** When a change takes effect. */
function effectOf({ keys }: SavedSetting, texts: FormTexts, t: ReturnType<typeof useSystemTexts>): string {
  const late = keys.filter(({ restart }) => restart);
  if (late.length === 0) return t("setting_at_once");
  if (late.length === keys.length) return t("setting_restart");
  return t("setting_mixed", { keys: late.map(({ key }) => labelOf(texts, key)).join(", ") });
}
