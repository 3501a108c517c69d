/** Context with the texts of the result blocks. */
import { requiredContext } from "../context.ts";
import type { Translate } from "../words/language.ts";

export const [ResultContext, useResultTexts] = requiredContext<Translate<"results">>("results");
