/** Block to download and restore a copy of the database. */
import { useRef, useState } from "preact/hooks";
import { Help } from "../elements.tsx";
import { helpUrl } from "../help.ts";
import { usePage } from "../page.ts";
import { refusalText } from "../plans/plan-words.ts";
import { ask, download, refusalIn, upload } from "../requests.ts";
import { Block, Sure } from "./block.tsx";
import { useTexts } from "./system-context.ts";

const PATH = "local/v1/backup";
const TYPE = "application/octet-stream";

export function Backup() {
  const t = useTexts();
  const { t: words } = usePage();
  const picker = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<File | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const [answer, setAnswer] = useState("");
  const [isBusy, setBusy] = useState(false);
  const run = async (text: string, work: () => Promise<string>) => {
    setAnswer(text);
    setBusy(true);
    try {
      setAnswer(await work());
    } catch (thrown) {
      setAnswer(refusalText(refusalIn(thrown), words));
    }
    setBusy(false);
  };
  const save = () =>
    run(t("backup_busy"), async () => {
      await download(PATH);
      return words("done");
    });
  const restore = (file: File) =>
    run(words("sending"), async () => {
      setChosen(null);
      await upload(PATH, file, TYPE);
      setWaiting(true);
      return t("restore_waits");
    });
  const undo = () =>
    run(words("sending"), async () => {
      await ask("DELETE", PATH);
      setWaiting(false);
      return t("restore_undone");
    });
  const choose = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    setChosen(currentTarget.files?.[0] ?? null);
    currentTarget.value = "";
  };
  return (
    <Block id="backup" title={t("backup")}>
      <p class="faint">
        {t("backup_about")} <Help href={helpUrl("backup")} />
      </p>
      <div class="actions">
        <button type="button" disabled={isBusy} onClick={() => void save()}>
          {t("backup_download")}
        </button>
        <button type="button" disabled={isBusy} onClick={() => picker.current?.click()}>
          {t("restore")}
        </button>
        <input ref={picker} type="file" accept=".db,.copy" hidden aria-label={t("restore")} onChange={choose} />
      </div>
      {chosen && (
        <Sure
          text={t("restore_sure", { name: chosen.name })}
          yes={t("restore_yes")}
          onYes={() => void restore(chosen)}
          onNo={() => setChosen(null)}
        />
      )}
      <p class="answer" role="status">
        {answer}
      </p>
      {isWaiting && (
        <button type="button" onClick={() => void undo()}>
          {t("restore_undo")}
        </button>
      )}
    </Block>
  );
}
