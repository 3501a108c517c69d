/** Counts of one kind of thing, told apart by labels; from 0 at every start of the daemon. */
export interface Counted {
  readonly labels: readonly string[];
  readonly count: number;
}

/** Sets of labels that are told apart. A thousand accounts have ten each; what is new after that is counted together. */
const MAX_LABEL_SETS = 20_000;
const OTHER = "other";

export class Counter {
  /** Bounded by MAX_LABEL_SETS, and one more. */
  readonly #counts = new Map<string, { readonly labels: readonly string[]; count: number }>();

  add(...labels: string[]): void {
    const key = labels.join("\n");
    const counted = this.#counts.get(key);
    if (counted) counted.count++;
    else if (this.#counts.size < MAX_LABEL_SETS) this.#counts.set(key, { labels, count: 1 });
    else this.#addOther(labels.length);
  }

  /** Shape: in the order in which they were first counted. */
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
