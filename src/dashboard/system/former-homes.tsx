/** Block for homes whose addresses are gone: the home at the new address can take over, or the owner forgets one. */
import { useEffect, useState } from "preact/hooks";
import type { AddressesAnswer } from "../../api/house/addresses.ts";
import { useSystemTexts } from "../context.ts";
import { Button } from "../elements.tsx";
import { changeCount } from "../history/changes.ts";
import { call, readOrLast } from "../store/requests.ts";
import { Block, ListRow, Sure, useList } from "./block.tsx";

type Former = AddressesAnswer["former"][number];

/** What is confirmed: `to` takes over from the former home, or null forgets it. */
type Ending = { readonly home: string; readonly to: string | null };

export function FormerHomes() {
  const t = useSystemTexts();
  const [former, setFormer] = useState<readonly Former[]>([]);
  const [homes, setHomes] = useState<readonly string[]>([]);
  const [asked, setAsked] = useState<Ending | null>(null);
  const { run, answerOf } = useList<string>();
  const read = async () => {
    const known = await readOrLast("GET /local/v1/addresses", {});
    setFormer(known.former);
    setHomes(known.accounts.flatMap(({ addresses }) => addresses.flatMap(({ home }) => home ?? [])));
  };
  useEffect(() => void run(read), [changeCount.value]);
  const end = ({ home, to }: Ending) =>
    run(async () => {
      setAsked(null);
      await call("POST /local/v1/former-homes/:home", { home }, { body: { moved_to: to } });
      await read();
    }, home);
  if (former.length === 0) return null;
  return (
    <Block id="former" title={t("former_homes")}>
      <p class="faint">{t("former_about")}</p>
      <ul class="key-list">
        {former.map(({ home, name }) => (
          <ListRow
            key={home}
            id={`former-${home}`}
            name={name}
            facts={<span class="faint"> {home}</span>}
            answer={answerOf(home)}
            buttons={
              <>
                {homes.map((to) => (
                  <Button key={to} text={t("former_moved", { home: to })} onClick={() => setAsked({ home, to })} />
                ))}
                <Button text={t("former_forget")} onClick={() => setAsked({ home, to: null })} />
              </>
            }
          >
            {asked?.home === home && (
              <Sure
                text={
                  asked.to === null
                    ? t("former_forget_sure", { name })
                    : t("former_moved_sure", { home: asked.to, name })
                }
                yes={asked.to === null ? t("former_forget") : t("former_moved", { home: asked.to })}
                onYes={() => void end(asked)}
                onNo={() => setAsked(null)}
              />
            )}
          </ListRow>
        ))}
      </ul>
    </Block>
  );
}
