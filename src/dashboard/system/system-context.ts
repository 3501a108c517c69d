/** Context with the texts of the blocks for keys with the scope `control`. */
import { requiredContext } from "../context.ts";
import type { Translate } from "../words/language.ts";

export const [SystemContext, useSystemTexts] = requiredContext<Translate<"system">>("system");
