/** Login form for a key of the LAN API. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, Part, useShown, Wrong } from "./elements.tsx";
import { usePage } from "./page.ts";
import { SetupCard } from "./setup-button.tsx";
import { call, type Refusal, refusalIn } from "./store/requests.ts";
import type { Translate } from "./words/language.ts";

export function Login({ onEntered }: { readonly onEntered: () => Promise<void> }) {
  const { t, store } = usePage();
  const key = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const { typed, button } = useShown("key");
  useEffect(() => key.current?.focus(), []);
  const enter = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setWrong("");
    try {
      await call("POST /local/v1/session", {}, { body: { key: key.current?.value.trim() ?? "" } });
      await store.readSession();
      await onEntered();
    } catch (thrown) {
      setWrong(refusalText(refusalIn(thrown), t));
      key.current?.select();
    }
    setBusy(false);
  };
  return (
    <Part id="now" card={false}>
      <SetupCard />
      <form class="card login" onSubmit={enter}>
        <h2 id="now-title">{t("log_in_title")}</h2>
        <p id="key-help" class="soft">
          {t(store.session.value?.can_set_up ? "log_in_help_demo" : "log_in_help")}
        </p>
        <input type="text" name="username" value="elbro" autocomplete="username" hidden />
        <label for="key">{t("key")}</label>
        <div class="field">
          <input
            ref={key}
            id="key"
            name="key"
            {...typed}
            autocomplete="current-password"
            required
            autocapitalize="off"
            spellcheck={false}
            aria-describedby="key-help key-wrong"
          />
          {button}
        </div>
        <Wrong id="key-wrong" text={wrong} />
        <Button type="submit" class="strong" disabled={isBusy} text={t("log_in")} />
      </form>
    </Part>
  );
}

function refusalText({ status, code, reason, retryAfterSec }: Refusal, t: Translate): string {
  if (status === null) return t("no_contact_short");
  const seconds = retryAfterSec ?? 60;
  if (status === 429) return t("too_many_tries", { count: seconds, seconds });
  return status === 401 || code === "invalid_parameter" ? t("wrong_key") : reason;
}
