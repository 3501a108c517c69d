/** Loop of the daemon: works, then sleeps until its next iteration is due or it is woken. */
import type { EpochMs } from "../time/interval.ts";
import type { Clock } from "./clock.ts";
import type { LoopHeartbeat } from "./loop-heartbeat.ts";
import { LoopWaker } from "./loop-waker.ts";

export interface LoopOptions {
  readonly clock: Pick<Clock, "now" | "sleepUntil">;
  readonly heartbeat?: Pick<LoopHeartbeat, "turn" | "sleep"> | undefined;
  /** Ends a sleep early. */
  readonly waker?: LoopWaker;
}

/** Calls `work` until the signal fires. It returns when the next call is due; a past time for at once. */
export async function runLoop(
  { clock, heartbeat, waker = new LoopWaker() }: LoopOptions,
  signal: AbortSignal,
  work: () => EpochMs | Promise<EpochMs>,
): Promise<void> {
  while (!signal.aborted) {
    heartbeat?.turn();
    const until = await work();
    if (until <= clock.now()) continue;
    heartbeat?.sleep(until);
    await waker.sleep((wake) => clock.sleepUntil(until, wake), signal);
  }
}
