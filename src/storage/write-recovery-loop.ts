/** Loop that retries failed database writes with exponential back-off. */
import type { Clock } from "../core/runtime/clock.ts";
import { LoopWaker } from "../core/runtime/loop-waker.ts";
import { runLoop } from "../core/runtime/run-loop.ts";
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
    // 0 without a trouble.
    let waitMs = 0;
    await runLoop({ clock, waker: this.#waker }, signal, () => {
      if (waitMs > 0 && writing.recover()) {
        problems.end(SUBJECT);
        onRecovered();
      }
      const { trouble } = writing;
      waitMs = trouble ? Math.min(MAX_WAIT_MS, Math.max(FIRST_WAIT_MS, 2 * waitMs)) : 0;
      if (!trouble) return Number.POSITIVE_INFINITY;
      problems.start({ subject: SUBJECT, since: clock.now(), ...trouble });
      return clock.now() + waitMs;
    });
  }
}
