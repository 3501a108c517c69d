/** Count of one set of labels since the daemon started. */
export type Counted = { readonly labels: readonly string[]; readonly count: number };

/** Maximum sets of labels. 1,000 accounts have ten each; further sets are counted together as `other`. */
const MAX_LABEL_SETS = 20_000;
const OTHER = "other";

export class Counter {
  /** Bounded by MAX_LABEL_SETS + 1. */
  readonly #counts = new Map<string, { readonly labels: readonly string[]; count: number }>();

  add(...labels: string[]): void {
    const key = labels.join("\n");
    const counted = this.#counts.get(key);
    if (counted) counted.count++;
    else if (this.#counts.size < MAX_LABEL_SETS) this.#counts.set(key, { labels, count: 1 });
    else this.#addOther(labels.length);
  }

  /** Returns the counts in the order in which their labels first appeared. */
  list(): readonly Counted[] {
    return [...this.#counts.values()];
  }

  #addOther(length: number): void {
    const labels = Array.from({ length }, () => OTHER);
    const key = labels.join("\n");
    const counted = this.#counts.get(key) ?? { labels, count: 0 };
    counted.count++;
    this.#counts.set(key, counted);
  }
}
