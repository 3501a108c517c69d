/** Loop that retries failed database writes with exponential back-off. */
import type { Clock } from "../core/runtime/clock.ts";
import { LoopWaker } from "../core/runtime/loop-waker.ts";
import type { Problems } from "../core/status/problem.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time/interval.ts";
import type { WriteGuard } from "./write-guard.ts";

export interface WriteRecoveryDeps {
  readonly writing: WriteGuard;
  readonly clock: Clock;
  readonly problems: Problems;
  /** Called when all deferred writes are on disk. */
  readonly onRecovered: () => void;
}

const FIRST_WAIT_MS = 5 * SECOND_MS;
const MAX_WAIT_MS = 5 * MINUTE_MS;
const SUBJECT = "disk";

export class WriteRecoveryLoop {
  readonly #deps: WriteRecoveryDeps;
  readonly #waker = new LoopWaker();

  constructor(deps: WriteRecoveryDeps) {
    this.#deps = deps;
    deps.writing.onTrouble(() => this.#waker.wake());
  }

  /** Runs until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { writing, clock, problems, onRecovered } = this.#deps;
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      const { trouble } = writing;
      if (trouble) {
        problems.start({ subject: SUBJECT, since: clock.now(), ...trouble });
        await clock.sleepUntil(clock.now() + waitMs, signal);
        waitMs = Math.min(MAX_WAIT_MS, 2 * waitMs);
        if (signal.aborted || !writing.recover()) continue;
        problems.end(SUBJECT);
        onRecovered();
      }
      waitMs = FIRST_WAIT_MS;
      await this.#waker.sleep(aborted, signal);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
