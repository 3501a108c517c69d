const TICK_MS = 10;

/**
 * Returns how long an action takes, counted in ticks of 10 ms of this process's event loop. A busy machine delays the
 * ticks as much as the action, so a limit for this time does not depend on the load.
 */
export async function loopMs(action: Promise<unknown>): Promise<number> {
  let ticks = 0;
  const ticking = setInterval(() => ticks++, TICK_MS);
  try {
    await action;
  } finally {
    clearInterval(ticking);
  }
  return ticks * TICK_MS;
}
