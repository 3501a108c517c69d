/**
 * Publishes the state in parts, so that a home whose data changed is made and published alone. Most homes change at the
 * same interval boundary. They are published in turn, with pauses for other work. With 20 or more, their next state is
 * made shortly before the boundary, so that it only has to be sent then.
 */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../core/runtime/clock.ts";
import type { LoopHeartbeat } from "../core/runtime/loop-heartbeat.ts";
import { LoopWaker } from "../core/runtime/loop-waker.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { inSlices, type SliceClock } from "../state/slices.ts";
import type { PublishedPart } from "./state-publisher.ts";

export interface PublicationDeps {
  readonly clock: Clock;
  /** Names of the current parts. Returns the same set as long as they do not change. */
  readonly parts: () => ReadonlySet<string>;
  readonly make: (part: string, now: EpochMs) => PublishedPart;
  /** Makes a part for a later time; by default like `make`. A part with `isAhead` is made again a second after that time. */
  readonly makeAhead?: (part: string, at: EpochMs) => PublishedPart;
  readonly show: (part: string, made: PublishedPart) => void;
  /** Shows urgent messages of a part that was never shown. Used when 20 or more parts are new. */
  readonly showFirst?: (part: string, now: EpochMs) => void;
  /** Sets which parts exist, after all of them were shown. */
  readonly keepParts: (parts: ReadonlySet<string>) => void | Promise<void>;
  /** Called at the end of each iteration. Returns when the next iteration is due at the latest. */
  readonly finish: (now: EpochMs) => EpochMs | Promise<EpochMs>;
  /** Returns a value that every part depends on. When it changes, all parts are made again. */
  readonly trust: (now: EpochMs) => unknown;
  readonly heartbeat?: Pick<LoopHeartbeat, "turn" | "sleep">;
  readonly slices?: SliceClock;
}

/** Pause in ms if the next change is already in the past; prevents a busy loop. */
const MIN_PAUSE_MS = 1_000;
/** Number of parts from which they are prepared. Fewer fit into one or two slices. */
const MANY = 20;
/** Lead time in ms per part for preparing a boundary: several times the time that a new day takes. */
const LEAD_MS = 30;
/** Delay in ms after a boundary until parts made ahead are made again, so that the messages of all homes go first. */
const REMAKE_MS = 1_000;

interface Prepared {
  readonly at: EpochMs;
  readonly made: PublishedPart;
}

export class PublicationLoop {
  readonly #deps: PublicationDeps;
  readonly #waker = new LoopWaker();
  #parts: ReadonlySet<string> = new Set();
  /** Parts by the time of their next change without new data: a few quarters and hours. */
  readonly #due = new Map<EpochMs, Set<string>>();
  readonly #dueOf = new Map<string, EpochMs>();
  #changed = new Set<string>();
  /** Parts made before their boundary. Bounded by the parts. */
  readonly #prepared = new Map<string, Prepared>();
  /** Messages of parts that were made ahead and shown, until the parts are made again. Bounded by the parts. */
  readonly #shownAhead = new Map<string, PublishedPart["messages"]>();
  #trust: unknown;
  readonly #shown = Promise.withResolvers<void>();

  constructor(deps: PublicationDeps) {
    this.#deps = deps;
  }

  /** Marks parts as changed. They are made again at once. */
  changed(...parts: readonly string[]): void {
    for (const part of parts) {
      this.#changed.add(part);
      this.#prepared.delete(part);
    }
    this.#waker.wake();
  }

  /** Starts an iteration at once. */
  wake(): void {
    this.#waker.wake();
  }

  /** Resolves when the first iteration has shown all stored state. */
  get shown(): Promise<void> {
    return this.#shown.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, heartbeat, finish } = this.#deps;
    while (!signal.aborted) {
      heartbeat?.turn();
      await this.#publish(signal);
      this.#shown.resolve();
      if (signal.aborted) return;
      const now = clock.now();
      const finishAt = await finish(now);
      const until = Math.min(finishAt, await this.#prepare(signal));
      const sleepUntil = until > now ? until : now + MIN_PAUSE_MS;
      heartbeat?.sleep(sleepUntil);
      await this.#waker.sleep((wake) => clock.sleepUntil(sleepUntil, wake), signal);
    }
  }

  /** Makes and publishes the changed parts and those that are due. */
  async #publish(signal: AbortSignal): Promise<void> {
    const { clock, parts, make, show, showFirst, keepParts, trust, slices } = this.#deps;
    const now = clock.now();
    const known = this.#parts;
    const present = parts();
    for (const part of present) if (!known.has(part)) this.#changed.add(part);
    if (trust(now) !== this.#trust) {
      this.#trust = trust(now);
      this.#prepared.clear();
      for (const part of present) this.#changed.add(part);
    }
    const due = [...this.#due].flatMap(([at, own]) => (at <= now ? [...own] : []));
    const wanted = new Set([...due, ...this.#changed].filter((part) => present.has(part)));
    this.#changed = new Set();
    const fresh = [...wanted].filter((part) => !this.#dueOf.has(part));
    const showOne = (part: string) => {
      showFirst?.(part, now);
      return !signal.aborted;
    };
    if (fresh.length >= MANY) await inSlices(fresh, showOne, slices);
    await inSlices(
      wanted,
      (part) => {
        // A change during this call is included, because the part is made only now.
        this.#changed.delete(part);
        const at = clock.now();
        const prepared = this.#prepared.get(part);
        const isReady = prepared !== undefined && prepared.at <= at && at < prepared.made.until;
        if (prepared && prepared.at <= at) this.#prepared.delete(part);
        const made = isReady ? prepared.made : make(part, at);
        const isAhead = isReady && made.isAhead;
        this.#note(part, isAhead ? Math.min(at + REMAKE_MS, made.until) : made.until);
        if (!isDeepStrictEqual(this.#shownAhead.get(part), made.messages)) show(part, made);
        this.#shownAhead.delete(part);
        if (isAhead) this.#shownAhead.set(part, made.messages);
        return !signal.aborted;
      },
      slices,
    );
    if (present === known || signal.aborted) return;
    for (const part of this.#dueOf.keys()) if (!present.has(part)) this.#note(part, null);
    this.#parts = present;
    await keepParts(present);
  }

  #note(part: string, until: EpochMs | null): void {
    const before = this.#dueOf.get(part);
    if (before !== undefined) {
      const own = this.#due.get(before);
      own?.delete(part);
      if (own?.size === 0) this.#due.delete(before);
    }
    if (until === null) {
      this.#shownAhead.delete(part);
      this.#dueOf.delete(part);
      return;
    }
    this.#dueOf.set(part, until);
    this.#due.set(until, (this.#due.get(until) ?? new Set()).add(part));
  }

  /**
   * Makes the state of the next boundary if it is near. Returns the time of the next iteration: the boundary, or
   * shortly before.
   */
  async #prepare(signal: AbortSignal): Promise<EpochMs> {
    const { clock, make, makeAhead = make, slices } = this.#deps;
    const edge = Math.min(...this.#due.keys());
    const parts = this.#due.get(edge) ?? new Set();
    const left = [...parts].filter((part) => !this.#prepared.has(part) && !this.#shownAhead.has(part));
    const beginAt = edge - parts.size * LEAD_MS;
    if (parts.size < MANY || left.length === 0) return edge;
    if (clock.now() < beginAt) return beginAt;
    await inSlices(
      left,
      (part) => {
        if (signal.aborted || this.#changed.size > 0 || clock.now() >= edge) return false;
        this.#prepared.set(part, { at: edge, made: makeAhead(part, edge) });
        return true;
      },
      slices,
    );
    return edge;
  }
}
