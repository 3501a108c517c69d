/** Lets one loop sleep and others wake it. A wake while it is awake is kept for its next sleep. */
export class LoopWaker {
  #controller = new AbortController();

  /** Wakes the sleeper, or keeps it from falling asleep once. */
  wake(): void {
    this.#controller.abort();
  }

  /** Sleeps until `sleep` ends, `stop` fires, or somebody wakes it. */
  async sleep(sleep: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
    if (stop.aborted) return;
    const controller = this.#controller;
    const forward = () => controller.abort();
    stop.addEventListener("abort", forward);
    await sleep(controller.signal);
    stop.removeEventListener("abort", forward);
    this.#controller = new AbortController();
  }
}
