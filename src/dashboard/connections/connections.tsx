/** Block with the connections to the service, the broker and Home Assistant: seen, tested and changed. */
import { useEffect, useState } from "preact/hooks";
import type { SavedConnections } from "../../api/connections.ts";
import { Wrong } from "../elements.tsx";
import { changeCount } from "../history/changes.ts";
import { usePage } from "../page.ts";
import { call } from "../requests.ts";
import { route } from "../route.ts";
import { Block, ListRow, useList } from "../system/block.tsx";
import { useTexts } from "../system/system-context.ts";
import { type Connection, keyLabel, trialText } from "./connection-tools.ts";

type Texts = ReturnType<typeof useTexts>;

export function Connections() {
  const t = useTexts();
  const { store } = usePage();
  const [saved, setSaved] = useState<SavedConnections | null>(null);
  const list = useList<Connection["id"]>();
  const { answerOf, say, run, dialog } = list;
  const isAdmin = store.session.value?.admin === true && saved?.fixed === null;
  const read = async () => {
    const found = await call("GET /local/v1/connections", {});
    setSaved(found);
    return found;
  };
  useEffect(() => void run(read), [changeCount.value]);
  const open = useForms(list, read);
  const test = (id: Connection["id"]) =>
    run(async () => {
      say(t("connection_testing"), id);
      const trial = await call(
        "POST /local/v1/connections/:connection/test",
        { connection: id },
        { body: { keys: {} } },
      );
      say(trialText(t, trial), id);
    }, id);
  // The link of a problem opens the form of its connection.
  const named = saved?.connections.find(({ id }) => route.value.entry === rowName(id))?.id;
  useEffect(() => {
    if (isAdmin && named) void open(named);
  }, [isAdmin, named]);
  if (!saved) return null;
  return (
    <Block id="connections" title={t("connections")}>
      <p class="faint">{t(isAdmin ? "connections_about" : saved.fixed ? "connections_demo" : "connections_admin")}</p>
      <ul class="key-list">
        {saved.connections.map((connection) => (
          <ConnectionRow
            key={connection.id}
            connection={connection}
            answer={answerOf(connection.id)}
            onTest={isAdmin ? () => void test(connection.id) : null}
            onOpen={isAdmin ? () => void open(connection.id) : null}
          />
        ))}
      </ul>
      {isAdmin && (
        <div class="actions">
          <button type="button" onClick={() => void open("service", true)}>
            {t("connections_again")}
          </button>
        </div>
      )}
      <Wrong text={answerOf()} />
      {dialog}
    </Block>
  );
}

/** Returns the function that opens the form of a connection. With `isOneOfAll` the next one follows it. */
function useForms(
  { say, run, setDialog }: ReturnType<typeof useList<Connection["id"]>>,
  read: () => Promise<SavedConnections>,
) {
  const t = useTexts();
  const open = (id: Connection["id"], isOneOfAll = false): Promise<void> =>
    run(async () => {
      if (!isOneOfAll) say("");
      const [{ ConnectionDialog }, now] = await Promise.all([import("./connection-dialog.tsx"), read()]);
      const index = now.connections.findIndex((each) => each.id === id);
      const connection = now.connections[index];
      const next = isOneOfAll ? now.connections[index + 1]?.id : undefined;
      const onNext = () => {
        setDialog(null);
        if (next) void open(next, true);
      };
      const close = (text: string | null) => {
        if (text === null) return setDialog(null);
        say(text, id);
        onNext();
      };
      const steps = now.connections.length;
      const title = t("connection_step", { step: index + 1, steps, name: t(`connection_${id}`) });
      const step = isOneOfAll ? { title, onSkip: onNext } : null;
      const props = { revision: now.revision, step, onClose: close };
      if (connection) setDialog(<ConnectionDialog {...props} connection={connection} />);
    }, id);
  return open;
}

interface ConnectionRowProps {
  readonly connection: Connection;
  readonly answer: string;
  /** Null for a key that must not change it. */
  readonly onTest: (() => void) | null;
  readonly onOpen: (() => void) | null;
}

function ConnectionRow({ connection, answer, onTest, onOpen }: ConnectionRowProps) {
  const t = useTexts();
  const { t: words } = usePage();
  const { id, keys } = connection;
  const name = rowName(id);
  return (
    <ListRow
      id={name}
      name={t(`connection_${id}`)}
      facts={<span class="faint">{summaryOf(connection, t)}</span>}
      answer={answer}
      buttons={
        onOpen && (
          <>
            {onTest && keys.some(({ is_set }) => is_set) && (
              <button type="button" aria-describedby={name} onClick={onTest}>
                {t("connection_test")}
              </button>
            )}
            <button type="button" aria-describedby={name} onClick={onOpen}>
              {words("plan_edit")}
            </button>
          </>
        )
      }
    />
  );
}

/** Name of a connection's row in addresses. */
function rowName(id: Connection["id"]): string {
  return `connection-${id}`;
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
