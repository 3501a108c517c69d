import { type Message, message, type Text } from "../../core/language/text.ts";
import type { ProblemFound } from "../../core/status/problem.ts";

interface UnknownHome extends Pick<ProblemFound, "subject" | "since"> {
  readonly home: string;
  /** The plan or plug. */
  readonly owner: Text;
}

/** Returns the word among `words` that was probably meant; null if none is similar. The first of equal matches wins. */
export function nearest(meant: string, words: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(1, Math.floor(meant.length / 3)) + 1;
  for (const word of words) {
    const distance = distanceBetween(meant.toLowerCase(), word.toLowerCase());
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

/** Returns the message for an unknown name. */
export function unknownId(kind: "home" | "plan" | "group", id: string, known: readonly string[]): Message {
  const what = message(`mistake.value_${kind}`);
  const found = quoted(id);
  if (known.length === 0) return message("mistake.unknown_none", { what, found });
  const hint = didYouMean(nearest(id, known));
  return message("mistake.unknown", { what, known: known.join(", "), found, hint });
}

/** Returns the proposal of another name; empty without one. */
export function didYouMean(meant: string | null): Message | string {
  return meant === null ? "" : message("mistake.hint_meant", { meant });
}

export function quoted(text: string): Message {
  return message("mistake.value_quoted", { text });
}

/** Returns the problem of a plan or plug with an unknown home. */
export function unknownHome({ home, owner, ...problem }: UnknownHome, known: readonly string[]): ProblemFound {
  const homes = known.join(", ");
  const names = { owner, homes: homes || message("word.the_homes") };
  return { code: "unknown_home", ...problem, names, detail: whichHome(home, known) };
}

function whichHome(found: string, known: readonly string[]): Text {
  if (known.length === 0) return message("found.no_home", { found });
  const meant = nearest(found, known);
  const facts = { known: known.join(", "), found };
  return meant === null ? message("found.home", facts) : message("found.home_near", { ...facts, meant });
}

/** Returns the number of letters to add, remove, replace or swap with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    [before, above] = [above, row];
  }
  return above[b.length] ?? 0;
}
