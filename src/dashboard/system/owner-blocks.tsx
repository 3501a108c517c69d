/** Blocks of each page of the system view that need a key with the scope `control`. */
import type { ComponentChildren, ComponentType } from "preact";
import type { Language } from "../../core/language/language.ts";
import { SystemContext } from "../context.ts";
import { History } from "../history/history.tsx";
import type { SystemPage } from "../route.ts";
import { translateIn } from "../words/language.ts";
import { Backup } from "./backup.tsx";
import { FormerHomes } from "./former-homes.tsx";
import { Keys } from "./keys.tsx";
import { Log } from "./log.tsx";
import { Settings } from "./settings.tsx";

const BLOCKS: Readonly<Record<SystemPage, readonly ComponentChildren[]>> = {
  status: [<Log key="log" />],
  connections: [<Settings key="connections" part="connections" />, <Settings key="settings" part="settings" />],
  devices: [<Keys key="keys" />],
  backup: [<Backup key="backup" />, <History key="history" />, <FormerHomes key="former" />],
};

/** Loads the blocks with their texts. */
export async function ownerBlocks(language: Language): Promise<ComponentType<{ readonly page: SystemPage }>> {
  const t = await translateIn("system", language);
  return ({ page }) => (
    <SystemContext.Provider value={t}>
      <div class="owner-grid">{BLOCKS[page]}</div>
    </SystemContext.Provider>
  );
}
