/** The previous states of page.yaml: what each change changed, and how to go back. */

import { message } from "../../core/language/text.ts";
import { overlayDifferences } from "../overlay/overlay-differences.ts";
import { readOverlay } from "../overlay/overlay-file.ts";
import { withPresentSecrets } from "../overlay/overlay-secrets.ts";
import type { ConfigurationFiles } from "./configuration-files.ts";
import { type Caller, type Edited, INVENTED, mistaken, refusal } from "./edit-refusal.ts";
import type { OverlayWriter } from "./overlay-writer.ts";

export class OverlayHistory {
  readonly #overlay: OverlayWriter;
  readonly #files: ConfigurationFiles;

  constructor(overlay: OverlayWriter, files: ConfigurationFiles) {
    this.#overlay = overlay;
    this.#files = files;
  }

  /**
   * Returns the states, the newest first: each with the time of the change that ended it, who made it, and what it
   * changed, which is null if it cannot be read.
   */
  list() {
    const { owner, overlay, revision, mistake } = this.#overlay.now();
    let next = mistake ? null : overlay;
    const states = this.#files.states().map(({ id, until, by, text }) => {
      const { overlay: before, mistake: flaw } = readOverlay(text, owner);
      const differences = flaw || !next ? null : overlayDifferences(owner, before, next);
      next = flaw ? null : before;
      return { id, until, by, differences };
    });
    return { revision, states };
  }

  /** Makes page.yaml as it was before a change. */
  async restore(id: string, caller: Caller): Promise<Edited> {
    if (this.#overlay.isInvented) return refusal("conflict", INVENTED);
    const state = this.#files.states().find((each) => each.id === id);
    if (!state) return refusal("resource_not_found", message("refused.no_state", { id }));
    return this.#overlay.edit({ id, path: "", caller, repairs: true }, (now) => {
      const { overlay, mistake } = readOverlay(state.text, now.owner);
      if (mistake) return mistaken("conflict", [mistake]);
      const whole = withPresentSecrets(overlay, now.overlay);
      if (!("settings" in whole)) return mistaken("conflict", whole);
      return { ...whole, servers: whole.servers ?? {} };
    });
  }
}
