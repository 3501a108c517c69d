/** The last change that this page made, which the toast names and may undo, and a count to read again after each. */
import { signal } from "@preact/signals";

export type Change =
  /** A change of page.yaml: `undo` is the id of the state before it. The history says what it changed. */
  | { readonly undo: string; readonly revision: string }
  /** Any other change. `undo` is null if it cannot be undone. */
  | { readonly text: string; readonly undo: (() => Promise<unknown>) | null };

export const lastChange = signal<Change | null>(null);
/** Number of changes that this page made, or may have missed without contact. */
export const changeCount = signal(0);

/** Shows a change that is not in page.yaml. */
export function showChange(text: string, undo: (() => Promise<unknown>) | null): void {
  lastChange.value = { text, undo };
  changeCount.value++;
}

/** Records the response to a change of the configuration. Any other response is ignored. */
export function recordChange(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("undo" in answer) || !("revision" in answer)) return;
  lastChange.value = answer as Change;
  changeCount.value++;
}
