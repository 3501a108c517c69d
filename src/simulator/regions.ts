import type { Currency } from "../service/contract/resources.ts";

export type Region = "DK1" | "DK2" | "SE3" | "SE4" | "NO2";

/** `perDkk` is the exchange rate, units per krone. It is fixed, so that prices do not depend on a second market. */
export const regions: Readonly<Record<Region, { readonly currency: Currency; readonly perDkk: number }>> = {
  DK1: { currency: "DKK", perDkk: 1 },
  DK2: { currency: "DKK", perDkk: 1 },
  SE3: { currency: "SEK", perDkk: 1.48 },
  SE4: { currency: "SEK", perDkk: 1.48 },
  NO2: { currency: "NOK", perDkk: 1.57 },
};

/** Returns true for a region with simulated prices. */
export function isRegion(text: string): text is Region {
  return Object.hasOwn(regions, text);
}

/** Returns the price region at coordinates, approximated by rectangles; null outside them. Unit: degrees. */
export function regionAt(latitude: number, longitude: number): Region | null {
  const inside = (south: number, north: number, west: number, east: number) =>
    south <= latitude && latitude < north && west <= longitude && longitude < east;
  if (inside(54.9, 55.35, 14.6, 15.3)) return "DK2"; // Bornholm
  if (inside(54.5, 57.9, 8, 10.95)) return "DK1"; // west of the Great Belt
  if (inside(54.5, 56.2, 10.95, 12.7)) return "DK2"; // Zealand and its islands
  if (inside(55.3, 57, 11.3, 16.6)) return "SE4";
  if (inside(57, 61, 11, 19.5)) return "SE3";
  return null;
}
