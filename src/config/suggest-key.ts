import { message, type Text } from "../core/language/text.ts";

/** The word among `words` that was probably meant; null where none is near. Ties go to the first. */
export function nearest(meant: string, words: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(1, Math.floor(meant.length / 3)) + 1;
  for (const word of words) {
    const distance = distanceBetween(meant.toLowerCase(), word.toLowerCase());
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
}

/** What is said of a name that nothing has. */
export function unknownText(what: string, found: string, known: readonly string[]): string {
  if (known.length === 0) return `expected the id of ${what}, found "${found}"; there is none`;
  const meant = nearest(found, known);
  const hint = meant === null ? "" : `; did you mean ${meant}?`;
  return `expected the id of ${what} (${known.join(", ")}), found "${found}"${hint}`;
}

/** The same of a home, for a problem. */
export function unknownHome(found: string, known: readonly string[]): Text {
  if (known.length === 0) return message("found_no_home", { found });
  const meant = nearest(found, known);
  const facts = { known: known.join(", "), found };
  return meant === null ? message("found_home", facts) : message("found_home_near", { ...facts, meant });
}

/** Letters to add, leave out, replace, or exchange with their neighbour. */
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
