/** Runs checks one after another, says how each went, and counts. */
export class Checks {
  passed = 0;
  failed = 0;

  /** `run` throws where the check fails, and may say what it saw. A failed check does not end the run. */
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
