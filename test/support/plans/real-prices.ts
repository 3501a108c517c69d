import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { EpochMs } from "../../../src/core/time/interval.ts";

/** File of real day-ahead prices next to the repository, not part of it. Tests that need it are skipped without it. */
export const REAL_PRICES = path.resolve(import.meta.dirname, "../../../../shared/data/DK1-2025-03-to-2026-03.csv");

export const haveRealPrices = existsSync(REAL_PRICES);

/** Price in the file, parsed independently of elbro. Unit: DKK per kWh, without charges and VAT. */
export type RealPrice = { readonly start: EpochMs; readonly end: EpochMs; readonly spotPerKwh: number };

export function readRealPrices(): RealPrice[] {
  const [, ...lines] = readFileSync(REAL_PRICES, "utf8").trim().split("\n");
  return lines.map((line) => {
    const [start = "", minutes = "", dkkPerMwh = ""] = line.split(",");
    const at = Date.parse(start);
    return { start: at, end: at + Number(minutes) * 60_000, spotPerKwh: Number(dkkPerMwh) / 1_000 };
  });
}
