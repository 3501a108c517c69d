/** The form of one setting, made from the schema of the configuration. A file of its own: it is loaded when it opens. */
import { useState } from "preact/hooks";
import type { SavedSetting } from "../../api/settings.ts";
import { Dialog } from "../dialog.tsx";
import { Help } from "../elements.tsx";
import { CancelButton } from "../forms/cancel-button.tsx";
import { draftOf, dropDraft, keepDraft } from "../forms/drafts.ts";
import type { Json, JsonObject, JsonSchema } from "../forms/fields.ts";
import { SchemaForm, type ServerMistake } from "../forms/schema-form.tsx";
import { fieldHelpUrl } from "../help.ts";
import type { Translate } from "../language.ts";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { ask, refusalIn } from "../requests.ts";
import { Sure } from "./block.tsx";
import { labelOf, type SettingTools } from "./setting-tools.ts";
import { SystemContext } from "./system-context.ts";

interface SettingDialogProps {
  readonly t: Translate<"system">;
  readonly tools: SettingTools;
  readonly setting: SavedSetting;
  /** `done` describes the result; null if nothing was changed. */
  readonly onClose: (done: string | null) => void;
}

/** Keys that are shown first. The others, such as a login that few need, are hidden unless set. */
const FIRST: Partial<Record<SavedSetting["name"], readonly string[]>> = {
  notify: ["topic_url", "events", "quiet_hours", "language"],
};

export function SettingDialog({ t, tools, setting, onClose }: SettingDialogProps) {
  const { t: words } = usePage();
  const { saved, texts, schema } = tools;
  const { name, value, secrets, outside } = setting;
  const section = schema.properties?.[name] ?? {};
  const isSection = section.properties !== undefined;
  const form = isSection ? without(section, outside) : { type: "object", properties: { [name]: section } };
  const label = labelOf(texts, name);
  const draftName = `setting-${name}`;
  const [draft] = useState(() => draftOf(draftName));
  const [mistakes, setMistakes] = useState<readonly ServerMistake[]>([]);
  const [isResetting, setResetting] = useState(false);
  const save = (next: Json | undefined) => send("PUT", { value: next ?? null });
  // What is not from the page is removed; otherwise the setting is as in the owner's file again.
  const reset = () => (setting.overrides ? send("DELETE", {}) : save(null));
  const send = async (method: "PUT" | "DELETE", body: object) => {
    try {
      const { restart } = await ask<{ readonly restart: readonly string[] }>(
        method,
        `local/v1/settings/${name}`,
        body,
        { "If-Match": `"${saved.revision}"` },
      );
      dropDraft(draftName);
      const isWaiting = restart.some((key) => setting.restart.includes(key));
      onClose(t(isWaiting ? "setting_saved_waits" : "setting_saved", { name: label }));
    } catch (thrown) {
      const refusal = refusalIn(thrown);
      setResetting(false);
      if (refusal.status === 412) setMistakes([{ path: "", text: t("settings_changed"), isTranslated: true }]);
      else if (refusal.mistakes.length > 0) setMistakes(refusal.mistakes);
      else setMistakes([{ path: "", text: refusalText(refusal, words), isTranslated: refusal.isTranslated }]);
    }
  };
  const isSet = isSection ? secrets.length > 0 || Object.keys((value ?? {}) as object).length > 0 : false;
  return (
    <SystemContext.Provider value={t}>
      <Dialog title={label} onClose={() => onClose(null)}>
        <p class="faint">
          {[isSection ? (texts[name]?.about ?? section.description) : "", effectOf(setting, tools, t)]
            .filter(Boolean)
            .join(" ")}{" "}
          <Help href={fieldHelpUrl(name)} />
        </p>
        {outside.length > 0 && (
          <p class="note">
            {t("setting_outside", { keys: outside.map((key) => labelOf(texts, `${name}.${key}`)).join(", ") })}
          </p>
        )}
        {draft && <p class="note">{words("draft")}</p>}
        {isResetting && (
          <Sure
            text={t("setting_reset_sure", { name: label })}
            yes={t("setting_reset")}
            onYes={() => void reset()}
            onNo={() => setResetting(false)}
          />
        )}
        <SchemaForm
          schema={form}
          path={isSection ? name : ""}
          texts={texts}
          value={draft ?? (isSection ? ((value ?? {}) as JsonObject) : { [name]: value as Json })}
          onChange={(entry) => keepDraft(draftName, entry, form)}
          mistakes={mistakes}
          first={FIRST[name] ?? []}
          secretsSet={secrets}
          submitText={words("save")}
          onSubmit={(entry) => void save(isSection ? entry : entry[name])}
        >
          <CancelButton draft={draftName} text={t("cancel")} onClose={() => onClose(null)} />
          {isSet && !isResetting && (
            <button type="button" class="quiet" onClick={() => setResetting(true)}>
              {t("setting_reset")}
            </button>
          )}
        </SchemaForm>
      </Dialog>
    </SystemContext.Provider>
  );
}

/** When a change takes effect. */
function effectOf(
  { name, restart }: SavedSetting,
  { schema, texts }: SettingTools,
  t: SettingDialogProps["t"],
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
