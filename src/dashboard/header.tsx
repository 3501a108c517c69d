/** Header of the page: links to its parts, the choice of a home, and a notice without contact with the daemon. */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./elements.tsx";
import { keep } from "./language.ts";
import { usePage } from "./page.ts";

const PARTS = {
  now: "M13 3 5 14h6l-1 7 8-11h-6z",
  prices: "M4 20V10m5.3 10V4m5.4 16v-7M20 20V7",
  use: "M4 18c3-9 5-9 8-5s5 3 8-7",
  plans: "M8 3v4m8-4v4M4 9h16M5 5h14v15H5zM9 14l2.2 2.2L15.5 12",
  results: "M5 19h14M7 16l4-5 3 3 5-8",
  system: "M4 7h10m4 0h2M4 17h2m4 0h10M16 5v4M8 15v4",
} as const;
type PartName = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as PartName[];
/** Screens on which the parts are in columns, so that no link is marked as the current part. */
const SIDE_BY_SIDE = "(min-width: 56.25em)";

export function PartLinks() {
  const { t } = usePage();
  const current = useCurrentPart();
  useEffect(() => document.getElementById("parts")?.setAttribute("aria-label", t("parts")), []);
  return (
    <>
      {PART_NAMES.map((name) => (
        <a key={name} href={`#${name}`} aria-label={t(name)} aria-current={name === current ? "true" : undefined}>
          <Icon path={PARTS[name]} />
          <span>{t(name)}</span>
        </a>
      ))}
    </>
  );
}

/** Returns the part in the middle of a narrow screen; null on a wide one. */
function useCurrentPart(): PartName | null {
  const [current, setCurrent] = useState<PartName>("now");
  const [isWide, setWide] = useState(matchMedia(SIDE_BY_SIDE).matches);
  useEffect(() => {
    const media = matchMedia(SIDE_BY_SIDE);
    const widened = () => setWide(media.matches);
    const scrolled = () => {
      const middle = innerHeight / 2;
      const reached = PART_NAMES.filter(
        (name) => (document.getElementById(name)?.getBoundingClientRect().top ?? middle) < middle,
      );
      setCurrent(reached.at(-1) ?? "now");
    };
    media.addEventListener("change", widened);
    addEventListener("scroll", scrolled, { passive: true });
    return () => {
      media.removeEventListener("change", widened);
      removeEventListener("scroll", scrolled);
    };
  }, []);
  return isWide ? null : current;
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
    <select
      aria-label={t("home")}
      value={store.home.value?.id}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {homes.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Notice of a lost connection, with the age of the shown data. */
export function Contact() {
  const { t, f, store } = usePage();
  if (store.lostAt.value === null) return null;
  const { readAt } = store;
  return (
    <p class="notice">
      <span aria-hidden="true">⚠</span>
      <span>{readAt === null ? t("no_contact") : t("no_contact_since", { time: f.dateTime(readAt) })}</span>
    </p>
  );
}
