/** The form of one setting, made from the schema of the configuration. A file of its own: it is loaded when it opens. */
import { useState } from "preact/hooks";
import type { SavedSetting } from "../../api/settings.ts";
import { Dialog } from "../dialog.tsx";
import { Help } from "../elements.tsx";
import { draftOf } from "../forms/drafts.ts";
import type { Json, JsonObject, JsonSchema } from "../forms/fields.ts";
import { SchemaForm, useSaving } from "../forms/schema-form.tsx";
import { fieldHelpUrl } from "../help.ts";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { call } from "../requests.ts";
import { Sure } from "./block.tsx";
import { labelOf, type SettingTools, savedText } from "./setting-tools.ts";
import { useTexts } from "./system-context.ts";

interface SettingProps {
  readonly tools: SettingTools;
  readonly setting: SavedSetting;
}

interface SettingDialogProps extends SettingProps {
  /** `done` describes the result; null if nothing was changed. */
  readonly onClose: (done: string | null) => void;
}

/** Keys that are shown first. The others, such as a login that few need, are hidden unless set. */
const FIRST: Partial<Record<SavedSetting["name"], readonly string[]>> = {
  notify: ["topic_url", "events", "quiet_hours", "language"],
};

export function SettingDialog({ tools, setting, onClose }: SettingDialogProps) {
  const t = useTexts();
  const { t: words } = usePage();
  const { saved, texts, schema } = tools;
  const { name, value, secrets, outside } = setting;
  const section = schema.properties?.[name] ?? {};
  const isSection = section.properties !== undefined;
  const label = labelOf(texts, name);
  const draftName = `setting-${name}`;
  const [draft] = useState(() => draftOf(draftName));
  const [isResetting, setResetting] = useState(false);
  const { mistakes, save } = useSaving(draftName, (refusal) =>
    refusal.status === 412
      ? { text: t("settings_changed"), isTranslated: true }
      : { text: refusalText(refusal, words), isTranslated: refusal.isTranslated },
  );
  const send = async (method: "PUT" | "DELETE", body: object) => {
    const { revision } = saved;
    await save(call(`${method} /local/v1/settings/:setting`, { setting: name }, { body, revision }), (edited) =>
      onClose(savedText(t, label, setting.restart, edited)),
    );
    setResetting(false);
  };
  const isSet = isSection && (secrets.length > 0 || Object.keys((value ?? {}) as object).length > 0);
  return (
    <Dialog title={label} onClose={() => onClose(null)}>
      <SettingFacts tools={tools} setting={setting} />
      {draft && <p class="note">{words("draft")}</p>}
      {isResetting && (
        <Sure
          text={t("setting_reset_sure", { name: label })}
          yes={t("setting_reset")}
          // What is not from the page is removed; otherwise the setting is as in the owner's file again.
          onYes={() => void (setting.overrides ? send("DELETE", {}) : send("PUT", { value: null }))}
          onNo={() => setResetting(false)}
        />
      )}
      <SchemaForm
        schema={isSection ? without(section, outside) : { type: "object", properties: { [name]: section } }}
        path={isSection ? name : ""}
        texts={texts}
        value={draft ?? (isSection ? ((value ?? {}) as JsonObject) : { [name]: value as Json })}
        mistakes={mistakes}
        first={FIRST[name] ?? []}
        secretsSet={secrets}
        draft={draftName}
        onSubmit={(entry) => void send("PUT", { value: (isSection ? entry : entry[name]) ?? null })}
        onCancel={() => onClose(null)}
      >
        {isSet && !isResetting && (
          <button type="button" class="quiet" onClick={() => setResetting(true)}>
            {t("setting_reset")}
          </button>
        )}
      </SchemaForm>
    </Dialog>
  );
}

/** What a setting is about, when a change takes effect, and what of it is set elsewhere. */
function SettingFacts({ tools, setting }: SettingProps) {
  const t = useTexts();
  const { texts, schema } = tools;
  const { name, outside } = setting;
  const { properties, description } = schema.properties?.[name] ?? {};
  const about = properties && (texts[name]?.about ?? description);
  return (
    <>
      <p class="faint">
        {[about, effectOf(setting, tools, t)].filter(Boolean).join(" ")} <Help href={fieldHelpUrl(name)} />
      </p>
      {outside.length > 0 && (
        <p class="note">
          {t("setting_outside", { keys: outside.map((key) => labelOf(texts, `${name}.${key}`)).join(", ") })}
        </p>
      )}
    </>
  );
}

/** When a change takes effect. */
function effectOf(
  { name, restart }: SavedSetting,
  { schema, texts }: SettingTools,
  t: ReturnType<typeof useTexts>,
): string {
  if (restart.length === 0) return t("setting_at_once");
  const count = Object.keys(schema.properties?.[name]?.properties ?? { [name]: {} }).length;
  if (restart.length >= count) return t("setting_restart");
  return t("setting_mixed", { keys: restart.map((key) => labelOf(texts, key)).join(", ") });
}

/** A section without the keys that are set elsewhere. */
function without(section: JsonSchema, names: readonly string[]): JsonSchema {
  const properties = Object.entries(section.properties ?? {}).filter(([name]) => !names.includes(name));
  const allOf = (section.allOf ?? []).filter(
    ({ anyOf = [] }) => !anyOf.some(({ required = [] }) => required.some((name) => names.includes(name))),
  );
  return { ...section, properties: Object.fromEntries(properties), allOf };
}
