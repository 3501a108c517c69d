/** Stored data for a request of the LAN. */
import type { EpochMs } from "../core/time/interval.ts";

/** Source of the body of a response. */
export interface AnswerSource {
  /** Changes with every change of the series. */
  readonly version: number | string;
  /** Returns the whole body in UTF-8. */
  readonly read: () => Buffer;
}

/** Stored data for a request. */
export interface Found extends AnswerSource {
  /** When the service last answered the oldest part of it. */
  readonly answeredAt: EpochMs;
  /** Whether it may be returned without asking the service again. */
  readonly fresh: boolean;
}
