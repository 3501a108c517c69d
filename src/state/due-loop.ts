/**
 * Loop over items that change at their own times, such as the homes to publish or the plans to decide. It works on the
 * items that are due or were changed, in turn, and lets other work run in between.
 */
import type { Clock } from "../core/runtime/clock.ts";
import { LoopWaker } from "../core/runtime/loop-waker.ts";
import { type LoopOptions, runLoop } from "../core/runtime/run-loop.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { inSlices, type SliceClock } from "./slices.ts";

export interface DueLoopDeps {
  readonly clock: Clock;
  /** Names of the current items. Returns the same set as long as they do not change. */
  readonly items: () => ReadonlySet<string>;
  /** Works on an item. Returns when it is due again; infinity if only a change makes it due. */
  readonly work: (item: string, now: EpochMs) => EpochMs;
  /** Does what is urgent for an item. Called for all items that are due, before `work`. */
  readonly first?: (item: string, now: EpochMs) => void;
  /** Waited for between `first` and `work`. Then comes `first` for what it changed, which is also worked on before the rest. */
  readonly between?: () => Promise<unknown>;
  /** Called when the set of items has changed, after the work on each of them. */
  readonly kept?: (items: ReadonlySet<string>) => void | Promise<void>;
  /** Called at the end of each iteration. Returns when the next iteration is due at the latest. */
  readonly finish?: (now: EpochMs) => EpochMs | Promise<EpochMs>;
  /** Returns a value that every item depends on. When it changes, all items are due. */
  readonly trust: (now: EpochMs) => unknown;
  readonly heartbeat?: LoopOptions["heartbeat"];
  readonly slices?: Partial<SliceClock>;
  /** Runs the work on the items of one slice. */
  readonly within?: <Result>(slice: () => Result) => Result;
}

/** Pause in ms if the next change is already in the past; prevents a busy loop. */
const MIN_PAUSE_MS = 1_000;

export class DueLoop {
  readonly #deps: DueLoopDeps;
  readonly #waker = new LoopWaker();
  #items: ReadonlySet<string> = new Set();
  /** Items by the time at which they are due without a change: a few quarters and hours. */
  readonly #due = new Map<EpochMs, Set<string>>();
  readonly #dueOf = new Map<string, EpochMs>();
  #changed = new Set<string>();
  #trust: unknown;
  #lastAt: EpochMs = Number.NEGATIVE_INFINITY;
  /** End of the current sleep; negative infinity while the loop is awake. */
  #sleepsUntil: EpochMs = Number.NEGATIVE_INFINITY;
  /** The current iteration, or the next one. */
  #iteration = Promise.withResolvers<void>();

  constructor(deps: DueLoopDeps) {
    this.#deps = deps;
  }

  /** Marks items as changed. They are worked on at once. */
  changed(...items: readonly string[]): void {
    for (const item of items) this.#changed.add(item);
    this.#waker.wake();
  }

  wake(): void {
    this.#waker.wake();
  }

  /** Records that another caller worked on an item, which is due again at `at`. */
  worked(item: string, at: EpochMs): void {
    this.#changed.delete(item);
    this.#note(item, at);
    if (at < this.#sleepsUntil) this.#waker.wake();
  }

  /** Resolves when all items that are due or changed now were worked on, or the loop has ended. */
  get ready(): Promise<void> {
    const isDone = this.#sleepsUntil > this.#deps.clock.now() && this.#changed.size === 0;
    return isDone ? Promise.resolve() : this.#iteration.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, heartbeat, finish = () => Number.POSITIVE_INFINITY } = this.#deps;
    await runLoop({ clock, heartbeat, waker: this.#waker }, signal, async () => {
      this.#sleepsUntil = Number.NEGATIVE_INFINITY;
      await this.#workDue(signal);
      if (signal.aborted) return Number.POSITIVE_INFINITY;
      const now = clock.now();
      const until = Math.min(await finish(now), ...this.#due.keys());
      this.#sleepsUntil = until > now ? until : now + MIN_PAUSE_MS;
      this.#iteration.resolve();
      this.#iteration = Promise.withResolvers();
      return this.#sleepsUntil;
    });
    this.#iteration.resolve();
  }

  async #workDue(signal: AbortSignal): Promise<void> {
    const { clock, items, work, first, between, kept, slices, within } = this.#deps;
    const known = this.#items;
    const present = items();
    const wanted = this.#takeDue(present, clock.now());
    const workOne = (item: string) => {
      // A change during this call is included, because the work is done only now.
      this.#changed.delete(item);
      this.#note(item, work(item, clock.now()));
      return !signal.aborted;
    };
    const workFirst = (item: string) => {
      first?.(item, clock.now());
      return !signal.aborted;
    };
    if (first) await inSlices(wanted, workFirst, slices);
    await between?.();
    if (first && between) await inSlices([...this.#changed], workFirst, slices);
    // What is urgent is sent before the rest is made.
    if (first) await slices?.nextTurn?.();
    await inSlices(this.#queue(wanted, present), workOne, { ...slices, ...(within && { within }) });
    if (present === known || signal.aborted) return;
    for (const item of this.#dueOf.keys()) if (!present.has(item)) this.#note(item, null);
    this.#items = present;
    await kept?.(present);
  }

  /** Returns the waiting items in turn. What changes meanwhile does not wait for them. */
  *#queue(waiting: Set<string>, present: ReadonlySet<string>): Generator<string> {
    for (const item of waiting) {
      for (const changed of [...this.#changed]) {
        if (!present.has(changed)) continue;
        waiting.delete(changed);
        yield changed;
      }
      if (waiting.delete(item)) yield item;
    }
  }

  /** Returns the items that are changed, new or due, and marks them as unchanged. */
  #takeDue(present: ReadonlySet<string>, now: EpochMs): Set<string> {
    const trust = this.#deps.trust(now);
    const isAll = trust !== this.#trust || now < this.#lastAt;
    this.#trust = trust;
    this.#lastAt = now;
    const added = isAll || present !== this.#items ? [...present] : [];
    const due = [...this.#due].flatMap(([at, own]) => (at <= now ? [...own] : []));
    const wanted = [...due, ...this.#changed, ...added.filter((item) => isAll || !this.#items.has(item))];
    this.#changed = new Set();
    return new Set(wanted.filter((item) => present.has(item)));
  }

  #note(item: string, at: EpochMs | null): void {
    const before = this.#dueOf.get(item);
    if (before !== undefined) {
      const own = this.#due.get(before);
      own?.delete(item);
      if (own?.size === 0) this.#due.delete(before);
    }
    if (at === null) {
      this.#dueOf.delete(item);
      return;
    }
    this.#dueOf.set(item, at);
    this.#due.set(at, (this.#due.get(at) ?? new Set()).add(item));
  }
}
