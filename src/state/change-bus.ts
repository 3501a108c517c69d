/** Announces changes between modules, so that a module does not know its subscribers. */

import type { SeriesKey } from "../core/series/series.ts";
import type { Problem } from "../core/status/problem.ts";

/** Event: the state of a home, of a place or of the daemon itself has changed. */
export interface StateChange {
  /** Id of the home; null for the daemon as a whole. */
  readonly home: string | null;
}

/** The callbacks of one kind of event, called in the order in which they subscribed. */
export class Listeners<Event> {
  readonly #callbacks: ((event: Event) => void)[] = [];

  subscribe(callback: (event: Event) => void): void {
    this.#callbacks.push(callback);
  }

  emit(event: Event): void {
    for (const callback of this.#callbacks) callback(event);
  }
}

/** Events of the daemon. One without a subscriber is dropped, so that a part may emit while others are opened. */
export class ChangeBus {
  /** Stored rows of a series changed; its key names account and address. */
  readonly seriesChanged: Listeners<SeriesKey> = new Listeners();
  readonly stateChanged: Listeners<StateChange> = new Listeners();
  readonly plansDecided: Listeners<{ readonly circle: string }> = new Listeners();
  readonly problem: Listeners<{ readonly problem: Problem; readonly state: "started" | "ended" }> = new Listeners();
}
