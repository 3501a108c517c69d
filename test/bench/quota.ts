/** What arrives by when on a usual day (`usualDay`) for `limit` requests a day and `homes` homes with one key. */
import { usualDay } from "../support/service/usual-day.ts";

export async function* run(): AsyncGenerator<Record<string, number>> {
  for (const limit of [30, 50, 60, 120, 500, 2_000])
    for (const homes of [1, 2, 4]) yield { limit, homes, ...(await usualDay(limit, homes)) };
}
