/** Lets other code wake a sleeping loop. A wake-up while the loop is awake ends its next sleep. */
export class LoopWaker {
  #controller = new AbortController();

  /** Ends the current sleep, or the next one if the loop is awake. */
  wake(): void {
    // With a reason, Node.js makes no exception and no stack for it.
    this.#controller.abort("woken");
  }

  /** Sleeps until `sleep` ends, `stop` fires or `wake` is called. */
  async sleep(sleep: (signal: AbortSignal) => Promise<void>, stop: AbortSignal): Promise<void> {
    if (stop.aborted) return;
    const controller = this.#controller;
    const forward = () => controller.abort(stop.reason);
    stop.addEventListener("abort", forward);
    await sleep(controller.signal);
    stop.removeEventListener("abort", forward);
    this.#controller = new AbortController();
  }
}
