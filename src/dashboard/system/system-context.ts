/** Context with the texts of the blocks for keys with the scope `control`. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { TranslateOf } from "../language.ts";
import type { SystemTexts } from "./texts-en.ts";

export const SystemContext = createContext<TranslateOf<keyof SystemTexts> | null>(null);

export function useTexts(): TranslateOf<keyof SystemTexts> {
  const texts = useContext(SystemContext);
  if (!texts) throw new Error("a block outside of the system");
  return texts;
}
