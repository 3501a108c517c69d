/** Compares the text of a file with the one that it should have, line by line. */

/** Lines of each text that an error shows. */
const MAX_SHOWN = 10;

/** Throws an error with the first lines that differ, where they are, and the command that writes the file. */
export function expectLines(file: string, written: string, expected: string, command: string): void {
  if (written === expected) return;
  const [before, after] = [written.split("\n"), expected.split("\n")];
  const first = before.findIndex((line, i) => line !== after[i]) + 1 || before.length;
  const gone = linesOnlyIn(before, after).map((line) => `- ${line}`);
  const added = linesOnlyIn(after, before).map((line) => `+ ${line}`);
  throw new Error(
    [`${file}:${first} is not what the code writes. If it should be: ${command}`, ...gone, ...added].join("\n"),
  );
}

/** Returns the lines with their numbers that another text has less often. */
function linesOnlyIn(lines: readonly string[], other: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of other) left.set(line, (left.get(line) ?? 0) + 1);
  const only = lines.flatMap((line, i) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0 ? [] : [`${i + 1}: ${line.slice(0, 300)}`];
  });
  const more = only.length > MAX_SHOWN ? [`… and ${only.length - MAX_SHOWN} more lines`] : [];
  return [...only.slice(0, MAX_SHOWN), ...more];
}
