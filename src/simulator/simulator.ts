/**
 * Plays the whole service on a real socket: both interfaces, both kinds of authentication, quotas, data that comes
 * when it comes, and faults on request. What it answers is a function of the seed, the instant asked for and its clock.
 */
import type { OperationId } from "../contract/operations.ts";
import type { HashEncoding, ThirdPartyCredentials } from "../contract/token.ts";
import type { LocalDate } from "../core/calendar.ts";
import type { EpochMs } from "../core/interval.ts";
import type { ConsumerAccount } from "./accounts.ts";
import type { FaultRule } from "./fault-rules.ts";
import type { AttemptsByWindow, QuotaLimits } from "./quota.ts";
import type { ClockStart, SimulatedClock } from "./simulated-clock.ts";

export interface SimulatorOptions {
  /** Source of real time; `clock` is laid over it. */
  readonly now: () => EpochMs;
  /** Where simulated time begins and how fast it runs; exactly `now` where absent. */
  readonly clock?: ClockStart;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** 127.0.0.1 where absent. */
  readonly host?: string;
  readonly seed?: number;
  /** Text of a price file (format of Energinet's day-ahead prices, DKK per MWh); an invented market where absent. */
  readonly prices?: { readonly csv: string; readonly replay?: "asDated" | "onTodaysDate" };
  /** 60 a minute and 2000 a day where absent. */
  readonly limits?: QuotaLimits;
  readonly faults?: readonly FaultRule[];
  /** The keys of a demo where absent; `consumerKey: null` is an account that has not created its key. */
  readonly keys?: { readonly consumerKey?: string | null; readonly thirdParty?: ThirdPartyCredentials };
  readonly hashEncoding?: HashEncoding;
  readonly homes?: readonly HomeName[];
  /** Minutes after 13:00 local at which the prices of the local day become public; undefined leaves it to the seed. */
  readonly publicationDelayMinutes?: (pricesOf: LocalDate) => number | undefined;
  readonly tls?: { readonly key: string; readonly cert: string };
}

export type HomeName = "danish" | "swedish" | "norwegian";

export interface AnsweredRequest {
  readonly at: EpochMs;
  readonly operation: OperationId;
  /** The status the service meant to give; a fault may have kept it from the caller. */
  readonly status: number;
}

export interface Simulator extends AsyncDisposable {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly keys: {
    readonly consumerKey: string | null;
    readonly thirdParty: ThirdPartyCredentials;
    readonly thirdPartyToken: string;
  };
  /** Ids of the demo's addresses; one that is not among `homes` answers 404. */
  readonly addressIds: Readonly<Record<HomeName, string>>;
  readonly clock: SimulatedClock;
  readonly account: ConsumerAccount;
  /** Attempts per fixed UTC window: those of the consumer account, denied ones too, or those of the partner. */
  attempts(of?: "consumer" | "thirdParty"): AttemptsByWindow;
  /** The last answers, oldest first. */
  answered(): readonly AnsweredRequest[];
  /** Replaces the script of faults. */
  setFaults(rules: readonly FaultRule[]): void;
  close(): Promise<void>;
}

/** Starts the service's double. Errors: rejects where the port is taken or the price file cannot be read. */
export async function startSimulator(_options: SimulatorOptions): Promise<Simulator> {
  throw new Error("not written yet");
}
