import type { EpochMs, Interval } from "../core/time/interval.ts";

interface Stretch extends Interval {
  readonly at: EpochMs;
}

/**
 * When the parts of one series were last answered. What is noted later counts, also where its clock stood earlier: a
 * clock that was set back is right again.
 */
export class AnsweredTimes {
  /** Ascending, without overlap. Bounded by the chunks of the series, as answers bring whole chunks. */
  readonly #stretches: Stretch[] = [];
  #newest: EpochMs | null = null;
  #settled: EpochMs | null = null;

  /** When anything of the series was last answered; null if never. */
  get newest(): EpochMs | null {
    return this.#newest;
  }

  /** Notes an answer; one without a range is about all of time. */
  note(range: Interval | null, at: EpochMs): void {
    this.#newest = at;
    const { start, end } = range ?? { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
    const first = this.#stretches.findLastIndex((known) => known.end <= start) + 1;
    let next = first;
    while ((this.#stretches[next]?.start ?? end) < end) next++;
    const [before, after] = [this.#stretches[first], this.#stretches[next - 1]];
    const pieces: Stretch[] = [{ start, end, at }];
    if (next > first && before && before.start < start) pieces.unshift({ ...before, end: start });
    if (next > first && after && after.end > end) pieces.push({ ...after, start: end });
    this.#stretches.splice(first, next - first, ...pieces);
  }

  /** Notes that the series was dealt with, although nothing came. */
  noteSettled(at: EpochMs): void {
    this.#newest = at;
    this.#settled = at;
  }

  /** When the series was last dealt with although nothing came; null if never. */
  get settled(): EpochMs | null {
    return this.#settled;
  }

  /** When the instant was last part of an answer; null if never. */
  at(instant: EpochMs): EpochMs | null {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#stretches[middle] as Stretch).start <= instant) low = middle + 1;
      else high = middle;
    }
    const found = this.#stretches[low - 1];
    return found && instant < found.end ? found.at : null;
  }
}
