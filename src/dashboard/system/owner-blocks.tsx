/** Blocks for settings, API keys, backup and log, which need a key with the scope `control`. */
import type { ComponentType } from "preact";
import { type Language, translator } from "../language.ts";
import { Backup } from "./backup.tsx";
import { Keys } from "./keys.tsx";
import { Log } from "./log.tsx";
import { Settings } from "./settings.tsx";
import { SystemContext } from "./system-context.ts";
import type { SystemTexts } from "./texts-en.ts";

const LOADERS: Readonly<Record<Language, () => Promise<{ readonly texts: SystemTexts }>>> = {
  da: () => import("./texts-da.ts"),
  sv: () => import("./texts-sv.ts"),
  nb: () => import("./texts-nb.ts"),
  en: () => import("./texts-en.ts"),
};

/** Loads the blocks with their texts. */
export async function ownerBlocks(language: Language): Promise<ComponentType> {
  const { texts } = await LOADERS[language]();
  const t = translator(texts, language);
  return () => (
    <SystemContext.Provider value={t}>
      <div class="owner-grid">
        <Settings />
        <div class="stack">
          <Keys />
          <Backup />
        </div>
        <Log />
      </div>
    </SystemContext.Provider>
  );
}
