import type { AddressSuggestion } from "../service/contract/resources.ts";
import type { Region } from "./regions.ts";

const STREETS = [
  ["Vesterbrogade", "1620", "København V"],
  ["Nørregade", "1165", "København K"],
  ["Strandvejen", "2900", "Hellerup"],
  ["Algade", "4000", "Roskilde"],
  ["Vestergade", "5000", "Odense C"],
  ["Kongensgade", "6700", "Esbjerg"],
  ["Strandvejen", "8000", "Aarhus C"],
  ["Åboulevarden", "8000", "Aarhus C"],
  ["Rådhuspladsen", "8000", "Aarhus C"],
  ["Boulevarden", "9000", "Aalborg"],
] as const;

const NUMBERS = ["1", "2", "5", "12"] as const;
const FLATS = [undefined, { floor: "1", door: "tv" }, { floor: "1", door: "th" }] as const;
/** Zip codes below this are east of the Great Belt. */
const FIRST_ZIP_OF_DK1 = 5000;

const registeredAddresses: readonly AddressSuggestion[] = STREETS.flatMap(([streetName, zipCode, city], street) =>
  NUMBERS.flatMap((streetNumber, number) =>
    FLATS.map((flat, index) => {
      const place = (street * NUMBERS.length + number) * FLATS.length + index;
      const door = flat ? `, ${flat.floor}. ${flat.door}` : "";
      return {
        id: `0a3f50c0-0000-32b8-e044-${(0x3ba298018 + place * 7919).toString(16).padStart(12, "0")}`,
        suggestion: `${streetName} ${streetNumber}${door}, ${zipCode} ${city}`,
        streetName,
        streetNumber,
        ...flat,
        zipCode,
        city,
      };
    }),
  ),
);

/** Returns at most `most` addresses that match all words by their beginnings. Shape: in the order of the register. */
export function suggestAddresses(text: string, most: number): readonly AddressSuggestion[] {
  const words = text
    .toLowerCase()
    .split(/[\s,.]+/)
    .filter(Boolean);
  if (words.length === 0) return [];
  const found = registeredAddresses.filter(({ suggestion }) => {
    const parts = suggestion.toLowerCase().split(/[\s,.]+/);
    return words.every((word) => parts.some((part) => part.startsWith(word)));
  });
  return found.slice(0, most);
}

/** Returns the region of a register id, an arbitrary one for an unknown UUID; null if it is not a UUID. */
export function regionOfRegisterId(id: string): { readonly region: Region; readonly isKnown: boolean } | null {
  const known = registeredAddresses.find((address) => address.id === id.toLowerCase());
  if (known) return { region: Number(known.zipCode) < FIRST_ZIP_OF_DK1 ? "DK2" : "DK1", isKnown: true };
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return null;
  return { region: Number.parseInt(id.slice(-1), 16) % 2 === 0 ? "DK1" : "DK2", isKnown: false };
}
