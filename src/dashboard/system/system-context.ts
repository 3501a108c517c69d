/** Context with the texts of the blocks for keys with the scope `control`. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Translate } from "../words/language.ts";

export const SystemContext = createContext<Translate<"system"> | null>(null);

export function useSystemTexts(): Translate<"system"> {
  const texts = useContext(SystemContext);
  if (!texts) throw new Error("a block outside of the system");
  return texts;
}
