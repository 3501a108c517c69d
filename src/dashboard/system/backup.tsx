/** Block to download and restore a copy of the database. */
import { useRef, useState } from "preact/hooks";
import { useSystemTexts } from "../context.ts";
import { Answer, Button, Help } from "../elements.tsx";
import { usePage } from "../page.ts";
import { call, download, upload } from "../store/requests.ts";
import { helpUrl } from "../words/help.ts";
import { Block, Sure, useList } from "./block.tsx";

const PATH = "local/v1/backup";
const TYPE = "application/octet-stream";

export function Backup() {
  const t = useSystemTexts();
  const { t: words, store } = usePage();
  const [chosen, setChosen] = useState<File | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { answerOf, say, run: show } = useList();
  const run = async (text: string, work: () => Promise<string>) => {
    say(text);
    setBusy(true);
    await show(async () => say(await work()));
    setBusy(false);
  };
  const save = () => run(t("backup_busy"), () => download(PATH).then(() => words("done")));
  const restore = (file: File) =>
    run(words("sending"), async () => {
      setChosen(null);
      await upload(PATH, file, TYPE);
      setWaiting(true);
      return t("restore_waits");
    });
  const undo = () =>
    run(words("sending"), async () => {
      await call("DELETE /local/v1/backup", {});
      setWaiting(false);
      return t("restore_undone");
    });
  if (!store.session.value?.admin) return null;
  return (
    <Block id="backup" title={t("backup")}>
      <p class="faint">
        {t("backup_about")} <Help href={helpUrl("backup")} />
      </p>
      <div class="actions">
        <Button disabled={isBusy} onClick={() => void save()} text={t("backup_download")} />
        <CopyPicker isBusy={isBusy} onChoose={setChosen} />
      </div>
      {chosen && (
        <Sure
          text={t("restore_sure", { name: chosen.name })}
          yes={t("restore_yes")}
          onYes={() => void restore(chosen)}
          onNo={() => setChosen(null)}
        />
      )}
      <Answer text={answerOf()} />
      {isWaiting && <Button onClick={() => void undo()} text={t("restore_undo")} />}
    </Block>
  );
}

/** Button that lets the user choose the file of a copy. */
function CopyPicker({ isBusy, onChoose }: Readonly<{ isBusy: boolean; onChoose: (copy: File | null) => void }>) {
  const t = useSystemTexts();
  const picker = useRef<HTMLInputElement>(null);
  const choose = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    onChoose(currentTarget.files?.[0] ?? null);
    currentTarget.value = "";
  };
  return (
    <>
      <Button disabled={isBusy} onClick={() => picker.current?.click()} text={t("restore")} />
      <input ref={picker} type="file" accept=".db,.copy" hidden aria-label={t("restore")} onChange={choose} />
    </>
  );
}
