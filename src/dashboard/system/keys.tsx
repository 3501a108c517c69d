/** Block to list, create and revoke API keys. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LanKeyAnswer } from "../../api/settings/keys.ts";
import { KEY_NAME } from "../../core/text/key-name.ts";
import { useSystemTexts } from "../context.ts";
import { Button, Check, Copied, Help, Wrong } from "../elements.tsx";
import { showChange } from "../history/changes.ts";
import { LabelledInput } from "../labelled-input.tsx";
import { lazy } from "../lazy.tsx";
import { usePage } from "../page.ts";
import { call } from "../store/requests.ts";
import { useRead } from "../store/use-read.ts";
import { helpUrl } from "../words/help.ts";
import { Block, ListRow, Sure, useList } from "./block.tsx";

const PhoneLink = lazy(async () => (await import("../phone-link.tsx")).PhoneLink);

interface MadeKey {
  readonly name: string;
  readonly key: string;
  /** Addresses of the dashboard for other devices. */
  readonly urls: readonly string[];
  readonly control: boolean;
}

export function Keys() {
  const t = useSystemTexts();
  const { t: words } = usePage();
  const { answerOf, say, run } = useList();
  const [made, setMade] = useState<MadeKey | null>(null);
  const change = (work: () => Promise<void>) => {
    say("");
    return run(work);
  };
  const keys = useRead("GET /local/v1/keys", {})?.keys ?? [];
  const create = (name: string, control: boolean) =>
    change(async () => {
      const answer = await call("POST /local/v1/keys", {}, { body: { name, control } });
      showChange(words("change_created", { name }), null);
      setMade({ ...(answer as Omit<MadeKey, "control">), control });
    });
  const end = (name: string) =>
    change(async () => {
      await call("DELETE /local/v1/keys/:key", { key: name });
      showChange(words("change_deleted", { name }), null);
      setMade((before) => (before?.name === name ? null : before));
    });
  return (
    <Block id="keys" title={t("keys")}>
      <p class="faint">
        {t("keys_about")} <Help href={helpUrl("keys")} />
      </p>
      <ul class="key-list">
        {keys.map((key) => (
          <KeyLine key={key.name} of={key} onEnd={() => void end(key.name)} />
        ))}
      </ul>
      <NewKey
        names={keys.map(({ name }) => name.toLowerCase())}
        onCreate={(name, control) => void create(name, control)}
      />
      {made && <Made made={made} />}
      <Wrong text={answerOf()} />
    </Block>
  );
}

function KeyLine({ of, onEnd }: { readonly of: LanKeyAnswer; readonly onEnd: () => void }) {
  const t = useSystemTexts();
  const { f } = usePage();
  const [isAsked, setAsked] = useState(false);
  const { name, kind, scopes, last_used: used, fixed } = of;
  const may = kind === "third_party" ? "key_third_party" : scopes.includes("control") ? "key_controls" : "key_reads";
  const facts = [
    t(may),
    used === null ? t("key_never_used") : t("key_used", { day: f.day(Date.parse(used)) }),
    ...(fixed ? [t("key_fixed")] : []),
  ];
  return (
    <ListRow
      id={`key-${name}`}
      name={name}
      facts={<span class="faint">{facts.join(" · ")}</span>}
      buttons={
        !fixed &&
        !isAsked && <Button aria-label={`${t("key_end")} ${name}`} onClick={() => setAsked(true)} text={t("key_end")} />
      }
    >
      {isAsked && (
        <Sure text={t("key_end_sure", { name })} yes={t("key_end_yes")} onYes={onEnd} onNo={() => setAsked(false)} />
      )}
    </ListRow>
  );
}

function NewKey({
  names,
  onCreate,
}: Readonly<{ names: readonly string[]; onCreate: (name: string, control: boolean) => void }>) {
  const t = useSystemTexts();
  const [name, setName] = useState("");
  const [control, setControl] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const create = (event: Event) => {
    event.preventDefault();
    const fits = KEY_NAME.test(name) && !names.includes(name.toLowerCase());
    setWrong(!fits);
    if (!fits) return;
    onCreate(name, control);
    setName("");
    setControl(false);
  };
  return (
    <form class="settings" noValidate onSubmit={create}>
      <LabelledInput
        id="key-name"
        label={t("key_name")}
        value={name}
        aria-invalid={isWrong}
        aria-describedby="key-name-wrong"
        onText={setName}
      />
      <Check text={t("key_control")} checked={control} onCheck={setControl} />
      <Button type="submit" text={t("key_create")} />
      <Wrong id="key-name-wrong" text={isWrong && t("key_name_wrong")} />
    </form>
  );
}

/** Shows a new key, which cannot be shown again. */
function Made({ made: { name, key, urls, control } }: { readonly made: MadeKey }) {
  const t = useSystemTexts();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "center" }), [key]);
  return (
    <div class="made-key" role="status" ref={box}>
      <p>{t("key_made", { name })}</p>
      <Copied key={key} text={key} />
      {/* Home Assistant logs its users in itself, and a phone cannot open its ingress address. */}
      {!location.pathname.includes("/hassio_ingress/") && (
        <PhoneLink key={key} apiKey={key} urls={urls} t={t} isPanelOffered={!control} />
      )}
    </div>
  );
}
