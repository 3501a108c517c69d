/** The form of a connection. Only what was typed is sent: a secret that is set stays if its field is empty. */
import { useState } from "preact/hooks";
import type { SavedKey } from "../../api/connections.ts";
import { Dialog } from "../dialog.tsx";
import { CancelButton } from "../forms/cancel-button.tsx";
import { draftOf, dropDraft, keepDraft } from "../forms/drafts.ts";
import type { JsonSchema } from "../forms/fields.ts";
import type { Translate } from "../language.ts";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { ask, refusalIn } from "../requests.ts";
import { type Connection, keyLabel, type Trial, trialText } from "./connection-tools.ts";

interface ConnectionDialogProps {
  readonly t: Translate<"system">;
  readonly connection: Connection;
  readonly revision: string;
  /** `done` describes the result; null if nothing was changed. */
  readonly onClose: (done: string | null) => void;
}

type Typed = Readonly<Record<string, string>>;
type Wrong = Readonly<Record<string, string>>;
interface Edited {
  readonly restart: readonly string[];
}

/** Keys with several lines, in PEM. */
const PEM = /\.(ca|cert|key)$/;
const ENCODING = "third_party.hash_encoding";

export function ConnectionDialog({ t, connection: { id, keys }, revision, onClose }: ConnectionDialogProps) {
  const { t: words } = usePage();
  const draftName = `connection-${id}`;
  const [draft] = useState(() => draftOf(draftName) as Typed | null);
  const [typed, setTyped] = useState<Typed>(draft ?? {});
  const [wrong, setWrong] = useState<Wrong>({});
  const [answer, setAnswer] = useState("");
  const changes = Object.fromEntries(
    Object.entries(typed).flatMap(([key, text]) => {
      const before = keys.find((each) => each.key === key);
      if (text === shownValue(before) || (text === "" && before?.is_secret)) return [];
      return [[key, text.trim() === "" ? null : text.trim()]];
    }),
  );
  const name = t(`connection_${id}`);
  const type = (key: string, text: string) => {
    const next = { ...typed, [key]: text };
    keepDraft(draftName, next, { properties: Object.fromEntries(keys.map((each) => [each.key, schemaOf(each)])) });
    setTyped(next);
    setWrong(({ [key]: _, ...others }) => others);
  };
  const run = async (work: () => Promise<void>) => {
    setWrong({});
    setAnswer("");
    try {
      await work();
    } catch (thrown) {
      const refusal = refusalIn(thrown);
      const own = refusal.mistakes.map(({ path, text }) => [keys.some(({ key }) => key === path) ? path : "", text]);
      const whole = refusal.status === 412 ? t("settings_changed") : refusalText(refusal, words);
      setWrong(own.length > 0 ? Object.fromEntries(own) : { "": whole });
    }
  };
  const send = (method: "PUT" | "DELETE", given: object) =>
    run(async () => {
      const headers = { "If-Match": `"${revision}"` };
      const { restart } = await ask<Edited>(method, `local/v1/connections/${id}`, given, headers);
      dropDraft(draftName);
      const isWaiting = restart.some((key) => keys.some((each) => each.key === key));
      onClose(t(isWaiting ? "setting_saved_waits" : "setting_saved", { name }));
    });
  const test = () =>
    run(async () => {
      setAnswer(t("connection_testing"));
      setAnswer(trialText(t, await ask<Trial>("POST", `local/v1/connections/${id}/test`, { keys: changes })));
    });
  const outside = keys.filter((key) => key.outside).map(({ key }) => keyLabel(t, key));
  return (
    <Dialog title={name} onClose={() => onClose(null)}>
      <p class="faint">{t("connection_secrets")}</p>
      {outside.length > 0 && <p class="note">{t("setting_outside", { keys: outside.join(", ") })}</p>}
      {draft && <p class="note">{words("draft")}</p>}
      <form
        class="schema-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send("PUT", { keys: changes });
        }}
      >
        {keys
          .filter((key) => !key.outside)
          .map((key) => (
            <KeyField
              key={key.key}
              of={key}
              label={keyLabel(t, key.key)}
              set={t("setting_secret")}
              text={typed[key.key] ?? shownValue(key)}
              wrong={wrong[key.key]}
              onType={(text) => type(key.key, text)}
            />
          ))}
        <div class="form-foot">
          <p class="wrong" role="alert">
            {wrong[""]}
          </p>
          <p class="answer" role="status">
            {answer}
          </p>
          <div class="actions">
            <button type="submit" class="strong" disabled={Object.keys(changes).length === 0}>
              {words("save")}
            </button>
            <button type="button" onClick={() => void test()}>
              {t("connection_test")}
            </button>
            <CancelButton draft={draftName} text={t("cancel")} onClose={() => onClose(null)} />
            {keys.some(({ overrides }) => overrides) && (
              <button type="button" class="quiet" onClick={() => void send("DELETE", {})}>
                {words("as_in_file")}
              </button>
            )}
          </div>
        </div>
      </form>
    </Dialog>
  );
}

interface KeyFieldProps {
  readonly of: SavedKey;
  readonly label: string;
  /** Word for a secret that is set. */
  readonly set: string;
  readonly text: string;
  readonly wrong: string | undefined;
  readonly onType: (text: string) => void;
}

function KeyField({ of, label, set, text, wrong, onType }: KeyFieldProps) {
  const id = `connection-${of.key.replace(".", "-")}`;
  const common = {
    ...{ id, value: text, "aria-describedby": `${id}-wrong` },
    "aria-invalid": wrong === undefined ? undefined : true,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => onType(currentTarget.value),
  } as const;
  const placeholder = of.is_secret && of.is_set ? set : undefined;
  return (
    <div class="field-row">
      <label for={id}>{label}</label>
      {of.key === ENCODING ? (
        <select {...common}>
          <option value="hex">hex</option>
          <option value="base64">base64</option>
        </select>
      ) : PEM.test(of.key) ? (
        <textarea {...common} rows={3} spellcheck={false} placeholder={placeholder} />
      ) : of.is_secret ? (
        <input {...common} type="password" autocomplete="off" placeholder={placeholder} />
      ) : (
        <input {...common} type="text" autocomplete="off" spellcheck={false} />
      )}
      <p id={`${id}-wrong`} class="wrong">
        {wrong}
      </p>
    </div>
  );
}

/** A draft keeps no secrets. */
function schemaOf({ is_secret: writeOnly }: SavedKey): JsonSchema {
  return { writeOnly };
}

function shownValue(key: SavedKey | undefined): string {
  if (!key || key.is_secret) return "";
  return typeof key.value === "string" ? key.value : key.key === ENCODING ? "hex" : "";
}
