/** Header of the page: links to the views, the choice of a home, and a notice without contact with the daemon. */
import { useEffect } from "preact/hooks";
import { Icon, Select } from "./elements.tsx";
import { usePage } from "./page.ts";
import { addressOf, route, VIEWS, type ViewName } from "./route.ts";
import { keep } from "./store/browser-storage.ts";
import { NOTHING } from "./store/last-answers.ts";

const ICONS: Readonly<Record<ViewName, string>> = {
  now: "M13 3 5 14h6l-1 7 8-11h-6z",
  prices: "M4 20V10m5.3 10V4m5.4 16v-7M20 20V7",
  use: "M4 18c3-9 5-9 8-5s5 3 8-7",
  plans: "M8 3v4m8-4v4M4 9h16M5 5h14v15H5zM9 14l2.2 2.2L15.5 12",
  results: "M5 19h14M7 16l4-5 3 3 5-8",
  system: "M4 7h10m4 0h2M4 17h2m4 0h10M16 5v4M8 15v4",
};

export function ViewLinks() {
  const { t } = usePage();
  useEffect(() => document.getElementById("parts")?.setAttribute("aria-label", t("parts")), []);
  return (
    <>
      {VIEWS.map((name) => (
        <a
          key={name}
          href={addressOf(name)}
          aria-label={t(name)}
          aria-current={name === route.value.view ? "page" : undefined}
        >
          <Icon path={ICONS[name]} />
          <span>{t(name)}</span>
        </a>
      ))}
    </>
  );
}

export function HomeChoice() {
  const { t, store } = usePage();
  const homes = store.homes.value;
  if (homes.length < 2 || !store.mayRead.value) return null;
  const choose = (id: string) => {
    store.choose(id);
    keep("home", id);
  };
  return (
    <Select
      aria-label={t("home")}
      value={store.home.value?.id}
      options={homes.map(({ id, name, address }) => ({
        value: id,
        text: homes.some((other) => other.id !== id && other.name === name) ? (address ?? id) : name,
      }))}
      onChoose={choose}
    />
  );
}

/** Notice of a lost connection, with the age of the shown data. */
export function Contact() {
  const { t, f, store } = usePage();
  if (store.lostAt.value === null) return null;
  const at = store.shownAt.value;
  return (
    <p class="notice">
      <span aria-hidden="true">⚠</span>
      <span>{at === NOTHING ? t("no_contact") : t("no_contact_since", { time: f.dateTime(at) })}</span>
    </p>
  );
}
