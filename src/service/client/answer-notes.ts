/** Facts from the headers of a response, for the rate limiter and the request log. */
import type { EpochMs } from "../../core/time/interval.ts";
import type { QuotaStanding } from "../contract/quota-headers.ts";

export interface AnswerNotes {
  readonly status: number;
  readonly requestId: string | null;
  readonly quota: Partial<QuotaStanding>;
  /** Service time from the `Date` header. */
  readonly serverMs: EpochMs | null;
}

/** Returns the time of a response if the service itself sent it, and not for example a captive portal. */
export function serviceTime(notes: AnswerNotes | null): EpochMs | null {
  if (!notes) return null;
  const { requestId, quota, serverMs } = notes;
  return requestId !== null || quota.minute || quota.day ? serverMs : null;
}
