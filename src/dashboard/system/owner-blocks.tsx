/** Blocks for settings, API keys, backup and log, which need a key with the scope `control`. */
import type { ComponentType } from "preact";
import type { Language } from "../../core/language/language.ts";
import { History } from "../history/history.tsx";
import { translateIn } from "../words/language.ts";
import { Backup } from "./backup.tsx";
import { FormerHomes } from "./former-homes.tsx";
import { Keys } from "./keys.tsx";
import { Log } from "./log.tsx";
import { Settings } from "./settings.tsx";
import { SystemContext } from "./system-context.ts";

/** Loads the blocks with their texts. */
export async function ownerBlocks(language: Language): Promise<ComponentType> {
  const t = await translateIn("system", language);
  return () => (
    <SystemContext.Provider value={t}>
      <div class="owner-grid">
        <div class="stack">
          <FormerHomes />
          <Settings part="connections" />
          <Keys />
          <Backup />
        </div>
        <div class="stack">
          <Settings part="settings" />
          <History />
        </div>
        <Log />
      </div>
    </SystemContext.Provider>
  );
}
