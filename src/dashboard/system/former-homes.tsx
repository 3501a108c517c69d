/** Block for homes whose addresses are gone: the home at the new address can take over, or the owner forgets one. */
import { useEffect, useState } from "preact/hooks";
import type { AddressesAnswer } from "../../api/house/addresses.ts";
import { useSystemTexts } from "../context.ts";
import { Button } from "../elements.tsx";
import { changeCount } from "../history/changes.ts";
import { usePage } from "../page.ts";
import { call, readOrLast } from "../store/requests.ts";
import { Block, ListRow, Sure, useList } from "./block.tsx";

export function FormerHomes() {
  const t = useSystemTexts();
  const [former, setFormer] = useState<AddressesAnswer["former"]>([]);
  const [homes, setHomes] = useState<readonly string[]>([]);
  // What is confirmed: `to` takes over from the former home, or null forgets it.
  const [asked, setAsked] = useState<{ readonly home: string; readonly to: string | null } | null>(null);
  const { run, answerOf } = useList<string>();
  const read = async () => {
    const known = await readOrLast("GET /local/v1/addresses", {});
    setFormer(known.former);
    setHomes(known.accounts.flatMap(({ addresses }) => addresses.flatMap(({ home }) => home ?? [])));
  };
  useEffect(() => void run(read), [changeCount.value]);
  const end = (home: string, to: string | null) =>
    run(async () => {
      setAsked(null);
      await call("POST /local/v1/former-homes/:home", { home }, { body: { moved_to: to } });
      await read();
    }, home);
  const nameOf = (to: string | null) => (to === null ? t("former_forget") : t("former_moved", { home: to }));
  if (former.length === 0) return null;
  return (
    <Block id="former" title={t("former_homes")}>
      <p class="faint">{t("former_about")}</p>
      <ul class="key-list">
        {former.map(({ home, name, measures }) => (
          <ListRow
            key={home}
            id={`former-${home}`}
            name={name}
            facts={<span class="faint"> {home}</span>}
            answer={answerOf(home)}
            buttons={[
              <CsvFiles key="" home={home} measures={measures} />,
              ...[...homes, null].map((to) => (
                <Button key={`to ${to}`} text={nameOf(to)} onClick={() => setAsked({ home, to })} />
              )),
            ]}
          >
            {asked?.home === home && (
              <Sure
                text={t(asked.to === null ? "former_forget_sure" : "former_moved_sure", { home: asked.to ?? "", name })}
                yes={nameOf(asked.to)}
                onYes={() => void end(home, asked.to)}
                onNo={() => setAsked(null)}
              />
            )}
          </ListRow>
        ))}
      </ul>
    </Block>
  );
}

function CsvFiles({ home, measures }: Pick<AddressesAnswer["former"][number], "home" | "measures">) {
  const { t, f, store } = usePage();
  const from = new Date(f.calendar.add("year", store.time.peek(), -4)).toISOString();
  const path = `usage.csv?home=${home}&by=day&from=${from}${f.csvQuery}`;
  return measures.map((measure) => (
    <a key={measure} class="download" href={`local/v1/${path}&measure=${measure}`} download>
      {t(`measure_${measure}`)}
    </a>
  ));
}
