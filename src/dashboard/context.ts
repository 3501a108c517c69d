/** Contexts whose value every component below them needs. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Translate } from "./words/language.ts";

/** Returns a context, and the hook that reads it. Outside of the context the hook throws an error with its name. */
export function requiredContext<Value>(name: string) {
  const context = createContext<Value | null>(null);
  const use = (): Value => {
    const value = useContext(context);
    if (value === null) throw new Error(`a component outside of the ${name}`);
    return value;
  };
  return [context, use] as const;
}

/** Texts of the blocks for keys with the scope `control`, and of the results. */
export const [SystemContext, useSystemTexts] = requiredContext<Translate<"system">>("system");
export const [ResultContext, useResultTexts] = requiredContext<Translate<"results">>("results");
