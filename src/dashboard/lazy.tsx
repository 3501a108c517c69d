/** Parts of the page that are loaded when they are first shown. */
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import type { Language } from "../core/language/language.ts";
import { usePage } from "./page.ts";

const RETRY_MS = 4_000;

/** Loads of all parts. A part that is loaded may add more. */
const parts: ((language: Language) => Promise<unknown>)[] = [];

/** Loads all parts for times without the daemon. One that fails is loaded when it is shown. */
export async function loadAll(language: Language): Promise<void> {
  for (const load of parts) await load(language).catch(() => null);
}

/** Returns a component that is loaded when it is first shown. Until then `Meanwhile` is shown, and without contact a text. */
export function lazy<Props extends object>(
  load: (language: Language) => Promise<ComponentType<Props>>,
  Meanwhile?: ComponentType,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | null>(null);
  const hasFailed = signal(false);
  const ensure = async (language: Language) => {
    loaded.value ??= await load(language);
  };
  parts.push(ensure);
  return (props) => {
    const { t } = usePage();
    useEffect(() => {
      let again: ReturnType<typeof setTimeout> | undefined;
      const attempt = async () => {
        try {
          await ensure(t.language);
        } catch {
          hasFailed.value = true;
          again = setTimeout(() => void attempt(), RETRY_MS);
        }
      };
      void attempt();
      return () => clearTimeout(again);
    }, []);
    const Loaded = loaded.value;
    if (Loaded) return <Loaded {...props} />;
    return (
      <>
        {Meanwhile && <Meanwhile />}
        {hasFailed.value && <p role="status">{t("no_contact")}</p>}
      </>
    );
  };
}
