/** What storage has for a request of the LAN. */
import type { EpochMs } from "../core/time/interval.ts";

/** The source of an answer's body. */
export interface AnswerSource {
  /** Changes with every change of the series. */
  readonly version: number | string;
  /** Returns the whole body, in UTF-8. */
  readonly read: () => Buffer;
}

/** What storage has for a request. */
export interface Found extends AnswerSource {
  /** When the oldest part of it was last answered by the service. */
  readonly answeredAt: EpochMs;
  /** Whether it may be given without asking again. */
  readonly fresh: boolean;
}
