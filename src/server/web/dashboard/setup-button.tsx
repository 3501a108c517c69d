/** The way from the invented house to one's own. */
import { signal } from "@preact/signals";
import { usePage } from "./page.ts";

/** Whether the set-up is open. */
export const isSettingUp = signal(false);

/** Shown where there is a house to set up. */
export function SetupCard() {
  const { t, house } = usePage();
  if (!house.session.value?.can_set_up) return null;
  return (
    <div class="card setup-card">
      <p>{t("invented")}</p>
      <button type="button" class="strong" onClick={() => (isSettingUp.value = true)}>
        {t("set_up")}
      </button>
    </div>
  );
}
