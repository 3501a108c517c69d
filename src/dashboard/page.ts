/** Context of every component: data, texts and formats. */
import { requiredContext } from "./context.ts";
import type { PageStore } from "./store/page-store.ts";
import type { Format } from "./words/format.ts";
import type { Translate } from "./words/language.ts";

export type Words = { readonly t: Translate; readonly f: Format };

export interface PageTools extends Words {
  readonly store: PageStore;
}

export const [PageContext, usePage] = requiredContext<PageTools>("page");
