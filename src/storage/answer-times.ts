import { contains, type EpochMs, type Interval } from "../core/time/interval.ts";

interface Stretch extends Interval {
  readonly at: EpochMs;
}

/**
 * When the parts of one series were last answered. What is noted later counts, also where its clock stood earlier: a
 * clock that was set back is right again.
 */
export class AnsweredTimes {
  /** Without overlap, in no order. Bounded by the chunks of the series, as answers bring whole chunks. */
  #stretches: readonly Stretch[] = [];
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
    const others = this.#stretches.flatMap((known) => {
      if (known.end <= start || known.start >= end) return [known];
      const rest = [
        { ...known, end: start },
        { ...known, start: end },
      ];
      return rest.filter((piece) => piece.start < piece.end);
    });
    this.#stretches = [...others, { start, end, at }];
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
    return this.#stretches.find((stretch) => contains(stretch, instant))?.at ?? null;
  }
}
