/** Runs checks one after another, prints the result of each, and counts the results. */
export class Checks {
  passed = 0;
  failed = 0;

  /** Runs a check. `run` throws if it fails, and may return a finding to print. A failed check does not end the run. */
  async check(name: string, run: () => Promise<string | undefined>): Promise<void> {
    const began = performance.now();
    const seconds = () => `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    try {
      const seen = await run();
      this.passed++;
      console.log(`ok     ${name} (${seconds()})${seen === undefined ? "" : `: ${seen}`}`);
    } catch (error) {
      this.failed++;
      console.log(`FAILED ${name} (${seconds()}): ${error instanceof Error ? error.message : error}`);
    }
  }
}
