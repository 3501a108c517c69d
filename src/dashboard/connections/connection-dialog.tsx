/** The form of a connection. Only what was typed is sent: a secret that is set stays if its field is empty. */
import { useState } from "preact/hooks";
import type { SavedKey } from "../../api/connections.ts";
import { Dialog } from "../dialog.tsx";
import { Answer, Wrong } from "../elements.tsx";
import { CancelButton } from "../forms/cancel-button.tsx";
import { draftOf, dropDraft, keepDraft } from "../forms/drafts.ts";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { call, refusalIn } from "../requests.ts";
import { savedText } from "../system/setting-tools.ts";
import { useTexts } from "../system/system-context.ts";
import { type Connection, keyLabel, trialText } from "./connection-tools.ts";

interface ConnectionDialogProps {
  readonly connection: Connection;
  readonly revision: string;
  /** Set if all are set up, one after the other. */
  readonly step: { readonly title: string; readonly onSkip: () => void } | null;
  /** `done` describes the result; null if nothing was changed. */
  readonly onClose: (done: string | null) => void;
}

/** Texts by key; the mistake of the whole form has the key "". */
type KeyTexts = Readonly<Record<string, string>>;

/** Keys with several lines, in PEM. */
const PEM = /\.(ca|cert|key)$/;
const ENCODING = "third_party.hash_encoding";

export function ConnectionDialog(props: ConnectionDialogProps) {
  const t = useTexts();
  const { t: words } = usePage();
  const { connection, step, onClose } = props;
  const { id, keys } = connection;
  const { draftName, draft, typed, wrong, answer, changes, type, send, test } = useConnectionForm(props);
  const outside = keys.filter((key) => key.outside).map(({ key }) => keyLabel(t, key));
  return (
    <Dialog title={step?.title ?? t(`connection_${id}`)} onClose={() => onClose(null)}>
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
              text={typed[key.key] ?? shownValue(key)}
              wrong={wrong[key.key]}
              onType={(text) => type(key.key, text)}
            />
          ))}
        <div class="form-foot">
          <Wrong text={wrong[""]} />
          <Answer text={answer} />
          <div class="actions">
            <button type="submit" class="strong" disabled={Object.keys(changes).length === 0}>
              {words("save")}
            </button>
            <button type="button" onClick={() => void test()}>
              {t("connection_test")}
            </button>
            {step && (
              <button type="button" onClick={step.onSkip}>
                {t("connection_skip")}
              </button>
            )}
            <CancelButton draft={draftName} onClose={() => onClose(null)} />
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

/** What was typed, what of it changes the connection, and the answers of the daemon. */
function useConnectionForm({ connection: { id, keys }, revision, onClose }: ConnectionDialogProps) {
  const t = useTexts();
  const { t: words } = usePage();
  const names = keys.map(({ key }) => key);
  const draftName = `connection-${id}`;
  const [draft] = useState(() => draftOf(draftName) as KeyTexts | null);
  const [typed, setTyped] = useState<KeyTexts>(draft ?? {});
  const [wrong, setWrong] = useState<KeyTexts>({});
  const [answer, setAnswer] = useState("");
  const changes = Object.fromEntries(
    Object.entries(typed).flatMap(([key, text]) => {
      const before = keys.find((each) => each.key === key);
      if (text === shownValue(before) || (text === "" && before?.is_secret)) return [];
      return [[key, text.trim() === "" ? null : text.trim()]];
    }),
  );
  const type = (key: string, text: string) => {
    const next = { ...typed, [key]: text };
    // A draft keeps no secrets.
    const properties = Object.fromEntries(keys.map((each) => [each.key, { writeOnly: each.is_secret }]));
    keepDraft(draftName, next, { properties });
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
      const own = refusal.mistakes.map(({ path: place, text }) => [names.includes(place) ? place : "", text]);
      const whole = refusal.status === 412 ? t("settings_changed") : refusalText(refusal, words);
      setWrong(own.length > 0 ? Object.fromEntries(own) : { "": whole });
    }
  };
  const send = (method: "PUT" | "DELETE", body: object) =>
    run(async () => {
      const edited = await call(`${method} /local/v1/connections/:connection`, { connection: id }, { body, revision });
      dropDraft(draftName);
      onClose(savedText(t, t(`connection_${id}`), names, edited));
    });
  const test = () =>
    run(async () => {
      setAnswer(t("connection_testing"));
      setAnswer(
        trialText(
          t,
          await call("POST /local/v1/connections/:connection/test", { connection: id }, { body: { keys: changes } }),
        ),
      );
    });
  return { draftName, draft, typed, wrong, answer, changes, type, send, test };
}

interface KeyFieldProps {
  readonly of: SavedKey;
  readonly text: string;
  readonly wrong: string | undefined;
  readonly onType: (text: string) => void;
}

function KeyField({ of, text, wrong, onType }: KeyFieldProps) {
  const t = useTexts();
  const id = `connection-${of.key.replace(".", "-")}`;
  const common = {
    id,
    value: text,
    "aria-describedby": `${id}-wrong`,
    "aria-invalid": wrong === undefined ? undefined : true,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => onType(currentTarget.value),
  } as const;
  const placeholder = of.is_secret && of.is_set ? t("setting_secret") : undefined;
  return (
    <div class="field-row">
      <label for={id}>{keyLabel(t, of.key)}</label>
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

function shownValue(key: SavedKey | undefined): string {
  if (!key || key.is_secret) return "";
  return typeof key.value === "string" ? key.value : key.key === ENCODING ? "hex" : "";
}
