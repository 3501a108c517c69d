/** Languages of elbro's texts. Codes, ids and the log are the same in all of them. */
export const languages = ["en", "da", "sv", "nb"] as const;
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
    const name = tag.split("-")[0] ?? "";
    return { language: ALIASES[name] ?? languages.find((each) => each === name), weight: Number(weight ?? 1) };
  });
  const known = wanted.filter(({ language, weight }) => language !== undefined && weight > 0);
  return known.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? otherwise;
}
