/** The previous states of page.yaml: what each change changed, and how to go back. */

import { message } from "../../core/language/text.ts";
import { pageDifferences } from "../page/page-differences.ts";
import { readPageFile } from "../page/page-file.ts";
import { withPresentSecrets } from "../page/page-secrets.ts";
import type { ConfigurationFiles } from "./configuration-files.ts";
import { type Caller, type Edited, INVENTED, mistaken, refusal } from "./edit-refusal.ts";
import type { PageWriter } from "./page-writer.ts";

export class PageHistory {
  readonly #page: PageWriter;
  readonly #files: ConfigurationFiles;

  constructor(page: PageWriter, files: ConfigurationFiles) {
    this.#page = page;
    this.#files = files;
  }

  /**
   * Returns the states, the newest first: each with the time of the change that ended it, and what that change changed,
   * which is null if it cannot be read.
   */
  list() {
    const { owner, page, revision, mistake } = this.#page.now();
    let next = mistake ? null : page;
    const states = this.#files.states().map(({ id, until, text }) => {
      const { page: before, mistake: flaw } = readPageFile(text, owner);
      const differences = flaw || !next ? null : pageDifferences(owner, before, next);
      next = flaw ? null : before;
      return { id, until, differences };
    });
    return { revision, states };
  }

  /** Makes page.yaml as it was before a change. */
  async restore(id: string, caller: Caller): Promise<Edited> {
    if (this.#page.isInvented) return refusal("conflict", INVENTED);
    const state = this.#files.states().find((each) => each.id === id);
    if (!state) return refusal("resource_not_found", message("refused.no_state", { id }));
    return this.#page.edit({ id, path: "", caller, repairs: true }, (now) => {
      const { page, mistake } = readPageFile(state.text, now.owner);
      if (mistake) return mistaken("conflict", [mistake]);
      const whole = withPresentSecrets(page, now.page);
      if (!("settings" in whole)) return mistaken("conflict", whole);
      return { ...whole, servers: whole.servers ?? {} };
    });
  }
}
