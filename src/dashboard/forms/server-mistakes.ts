/**
 * Translations of the mistakes that the daemon finds in an entry of the configuration. Its texts are English, as in the
 * log. A file of its own for the browser: import it dynamically.
 */
import type { Language } from "../language.ts";
import { type MistakeTexts, PATTERNS } from "./mistake-patterns.ts";
import type { ServerMistake } from "./schema-form.tsx";

const LOADERS: Readonly<Record<Exclude<Language, "en">, () => Promise<{ readonly mistakeTexts: MistakeTexts }>>> = {
  da: () => import("./mistakes-da.ts"),
  sv: () => import("./mistakes-sv.ts"),
  nb: () => import("./mistakes-nb.ts"),
};

/** Returns mistakes in a language. A text that matches no pattern stays in English. */
export async function mistakesInLanguage(
  language: Language,
  mistakes: readonly ServerMistake[],
): Promise<readonly ServerMistake[]> {
  if (language === "en") return mistakes;
  const { mistakeTexts } = await LOADERS[language]();
  return mistakes.map(({ path, text }) => {
    for (const [key, pattern] of Object.entries(PATTERNS)) {
      const groups = pattern.exec(text)?.slice(1);
      if (!groups) continue;
      const translated = mistakeTexts[key as keyof MistakeTexts];
      return { path, isTranslated: true, text: translated.replace(/\{(\d)\}/g, (_, i) => groups[Number(i)] ?? "") };
    }
    return { path, text };
  });
}
