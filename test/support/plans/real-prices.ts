import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { EpochMs } from "../../../src/core/time/interval.ts";

/** Real day-ahead prices beside the repository; not part of it. A test that wants them skips itself where they are not. */
export const REAL_PRICES = path.resolve(import.meta.dirname, "../../../../shared/data/DK1-2025-03-to-2026-03.csv");

export const haveRealPrices = existsSync(REAL_PRICES);

/** A price of the file, read by a reader of the test's own. Unit: DKK per kWh, without charges and VAT. */
export interface RealPrice {
  readonly start: EpochMs;
  readonly end: EpochMs;
  readonly spotPerKwh: number;
}

export function readRealPrices(): RealPrice[] {
  const [, ...lines] = readFileSync(REAL_PRICES, "utf8").trim().split("\n");
  return lines.map((line) => {
    const [start = "", minutes = "", dkkPerMwh = ""] = line.split(",");
    const at = Date.parse(start);
    return { start: at, end: at + Number(minutes) * 60_000, spotPerKwh: Number(dkkPerMwh) / 1_000 };
  });
}
