/** The last change that this page saved, which can be undone, and a count of all changes to read again after each. */
import { signal } from "@preact/signals";

export interface Change {
  /** Id of the state before the change. */
  readonly undo: string;
  readonly revision: string;
}

export const lastChange = signal<Change | null>(null);
export const changeCount = signal(0);

/** Records the response to a change of the configuration. Any other response is ignored. */
export function recordChange(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("undo" in answer) || !("revision" in answer)) return;
  lastChange.value = answer as Change;
  changeCount.value++;
}
