/**
 * Headers as they go over the wire, ready to be put together: what is the same in many answers is written once.
 *
 * Shape: lines, each `Name: value` and CRLF. They are made by this program, so that no value holds a line end.
 */
export type HeaderLines = string;

export function linesOf(headers: Readonly<Record<string, string>>): HeaderLines {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}

/** The same as names, as they are written, and their values. */
export function headerPairs(lines: HeaderLines): [name: string, value: string][] {
  return lines
    .split("\r\n")
    .slice(0, -1)
    .map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}

/** The same as names and values in turn, as Node takes them. */
export function headerList(lines: HeaderLines): string[] {
  return headerPairs(lines).flat();
}
