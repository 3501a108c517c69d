/** Context of the result blocks: texts, and a hook that reads data. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Translate } from "../language.ts";
import { get, type Refusal, refusalIn } from "../requests.ts";

export const ResultContext = createContext<Translate<"results"> | null>(null);

/** Returns the texts of the results. */
export function useTexts(): Translate<"results"> {
  const texts = useContext(ResultContext);
  if (!texts) throw new Error("a block outside of the results");
  return texts;
}

export interface Reading<Answer> {
  /** Last response; null before the first one and after a refusal. */
  readonly answer: Answer | null;
  readonly refusal: Refusal | null;
}

/**
 * Reads paths, and again if one of them or `version` changes. Earlier data stays until then. Reads nothing if `paths`
 * is null.
 */
export function useRead<Answer>(
  paths: readonly string[] | null,
  version: string | number = "",
): Reading<readonly Answer[]> {
  const [reading, setReading] = useState<Reading<readonly Answer[]>>({ answer: null, refusal: null });
  useEffect(() => {
    if (!paths) return;
    let isWanted = true;
    Promise.all(paths.map((path) => get<Answer>(path))).then(
      (answer) => isWanted && setReading({ answer, refusal: null }),
      (thrown: unknown) => isWanted && setReading({ answer: null, refusal: refusalIn(thrown) }),
    );
    return () => {
      isWanted = false;
    };
  }, [paths?.join(" "), version]);
  return reading;
}
