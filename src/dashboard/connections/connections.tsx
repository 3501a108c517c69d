/** Block with the connections to the service, the broker and Home Assistant: seen, tested and changed. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SavedConnections } from "../../api/connections.ts";
import { changeCount } from "../history/changes.ts";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { ask, get, refusalIn } from "../requests.ts";
import { useTexts } from "../system/system-context.ts";
import { type Connection, keyLabel, type Trial, trialText } from "./connection-tools.ts";

type Texts = ReturnType<typeof useTexts>;

export function Connections() {
  const t = useTexts();
  const { t: words, store } = usePage();
  const [saved, setSaved] = useState<SavedConnections | null>(null);
  const [answer, setAnswer] = useState<{ readonly id?: Connection["id"]; readonly text: string }>({ text: "" });
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const isAdmin = store.session.value?.admin === true && saved?.fixed === null;
  const run = async (work: () => Promise<void>, id?: Connection["id"]) => {
    try {
      await work();
    } catch (thrown) {
      setAnswer({ ...(id && { id }), text: refusalText(refusalIn(thrown), words) });
    }
  };
  const read = async () => {
    const found = await get<SavedConnections>("local/v1/connections");
    setSaved(found);
    return found;
  };
  useEffect(() => void run(async () => void (await read())), [changeCount.value]);
  const open = (id: Connection["id"]) =>
    run(async () => {
      setAnswer({ text: "" });
      const [{ ConnectionDialog }, now] = await Promise.all([import("./connection-dialog.tsx"), read()]);
      const connection = now.connections.find((each) => each.id === id);
      const close = (text: string | null) => {
        setDialog(null);
        if (text !== null) setAnswer({ id, text });
      };
      if (connection)
        setDialog(<ConnectionDialog t={t} connection={connection} revision={now.revision} onClose={close} />);
    }, id);
  const test = (id: Connection["id"]) =>
    run(async () => {
      setAnswer({ id, text: t("connection_testing") });
      const trial = await ask<Trial>("POST", `local/v1/connections/${id}/test`, { keys: {} });
      setAnswer({ id, text: trialText(t, trial) });
    }, id);
  if (!saved) return null;
  return (
    <section class="block" id="connections">
      <h3>{t("connections")}</h3>
      <p class="faint">{t(isAdmin ? "connections_about" : saved.fixed ? "connections_demo" : "connections_admin")}</p>
      <ul class="key-list">
        {saved.connections.map((connection) => (
          <li key={connection.id}>
            <div class="key-line">
              <p>
                <strong id={`connection-${connection.id}`}>{t(`connection_${connection.id}`)}</strong>
                <span class="faint">{summaryOf(connection, t)}</span>
              </p>
              {isAdmin && (
                <div class="actions">
                  {connection.keys.some(({ is_set }) => is_set) && (
                    <button
                      type="button"
                      aria-describedby={`connection-${connection.id}`}
                      onClick={() => void test(connection.id)}
                    >
                      {t("connection_test")}
                    </button>
                  )}
                  <button
                    type="button"
                    aria-describedby={`connection-${connection.id}`}
                    onClick={() => void open(connection.id)}
                  >
                    {words("plan_edit")}
                  </button>
                </div>
              )}
            </div>
            <p class="answer" role="status">
              {answer.id === connection.id && answer.text}
            </p>
          </li>
        ))}
      </ul>
      <p class="wrong" role="alert">
        {answer.id === undefined && answer.text}
      </p>
      {dialog}
    </section>
  );
}

/** What is set, in one line. The broker inside and a missing Home Assistant have nothing that is set. */
function summaryOf({ keys, id }: Connection, t: Texts): string {
  const parts = keys.flatMap(({ key, value, is_secret, is_set }) => {
    if (!is_set || key === "third_party.hash_encoding") return [];
    return [t("connection_part", { label: keyLabel(t, key), value: is_secret ? t("setting_secret") : String(value) })];
  });
  if (parts.length > 0) return parts.join(" · ");
  return t(id === "mqtt" ? "connection_inside" : "setting_none");
}
