import { languages } from "../../i18n/languages.ts";

/** Language of elbro's texts. Codes, ids and the log are the same in all of them. */
export type Language = (typeof languages)[number];

/** Other language codes for Norwegian. */
const ALIASES: Readonly<Record<string, Language>> = { no: "nb", nn: "nb" };

/** Returns the preferred supported language of an Accept-Language header (RFC 9110, 12.5.4), or `otherwise`. */
export function languageOf(acceptLanguage: string | undefined, otherwise: Language): Language {
  const wanted = (acceptLanguage ?? "").split(",").map((range) => {
    const [tag = "", ...parameters] = range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = parameters.find((each) => each.startsWith("q="))?.slice("q=".length);
    return { language: languageOfTag(tag), weight: Number(weight ?? 1) };
  });
  const known = wanted.filter(({ language, weight }) => language !== undefined && weight > 0);
  return known.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? otherwise;
}

/** Returns the language of a tag such as `nn-NO`; undefined if elbro has no texts in it. */
export function languageOfTag(tag: string): Language | undefined {
  const name = tag.toLowerCase().split("-")[0] ?? "";
  return ALIASES[name] ?? languages.find((each) => each === name);
}
