/** Context of every component: data, texts and formats. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageStore } from "./store/page-store.ts";
import type { Format } from "./words/format.ts";
import type { Translate } from "./words/language.ts";

export interface Words {
  readonly t: Translate;
  readonly f: Format;
}

export interface PageTools extends Words {
  readonly store: PageStore;
}

export const PageContext = createContext<PageTools | null>(null);

export function usePage(): PageTools {
  const tools = useContext(PageContext);
  if (!tools) throw new Error("a component outside of the page");
  return tools;
}
