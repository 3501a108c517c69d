/** Footer of the page: language, login, version, time zone. */

import { Button, Help, Select } from "./elements.tsx";
import { usePage } from "./page.ts";
import { keep } from "./store/browser-storage.ts";
import { forgetLast } from "./store/last-answers.ts";
import { call } from "./store/requests.ts";
import { helpUrl } from "./words/help.ts";
import { languageOptions } from "./words/language.ts";

async function logOut(): Promise<void> {
  await call("POST /local/v1/session/end", {}).catch(() => null);
  forgetLast();
  location.reload();
}

export function Foot({ onLogIn }: { readonly onLogIn: () => void }) {
  const { t, f, store } = usePage();
  const session = store.session.value;
  const changeLanguage = (language: string) => {
    keep("language", language);
    location.reload();
  };
  return (
    <>
      <label for="language">
        {`${t("language")} `}
        <Select id="language" value={t.language} options={languageOptions} onChoose={changeLanguage} />
      </label>
      {session?.signed_in && <span>{t("signed_in_as", { name: session.key })}</span>}
      {session?.can_log_out && <Button class="quiet" onClick={() => void logOut()} text={t("log_out")} />}
      {session?.mode === "open" && !session.signed_in && <Button class="quiet" onClick={onLogIn} text={t("log_in")} />}
      {session?.house && <span>{`elbro ${session.house.version}`}</span>}
      <span>{f.calendar.zone}</span>
      <Help href={helpUrl("contents")} />
    </>
  );
}
