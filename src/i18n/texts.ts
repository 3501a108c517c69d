/** The texts of the languages of this folder. Made by `npm run docs`. */
import da from "./da.json" with { type: "json" };
import en from "./en.json" with { type: "json" };
import nb from "./nb.json" with { type: "json" };
import sv from "./sv.json" with { type: "json" };

export const textFiles = { da, en, nb, sv };
