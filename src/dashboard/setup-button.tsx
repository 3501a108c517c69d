/** Button that opens the set-up, for a demo. */

import { signal } from "@preact/signals";
import { Button } from "./elements.tsx";
import { usePage } from "./page.ts";

/** Whether the set-up is open. */
export const isSettingUp = signal(false);

/** Card with the button; empty if a set-up is not possible. */
export function SetupCard() {
  const { t, store } = usePage();
  if (!store.session.value?.can_set_up) return null;
  return (
    <div class="card setup-card">
      <p>{t("invented")}</p>
      <Button class="strong" onClick={() => (isSettingUp.value = true)} text={t("set_up")} />
    </div>
  );
}
