/** Results of the last run of each program. */
import { readFileSync } from "node:fs";
import path from "node:path";

export const RESULTS = path.join(import.meta.dirname, "results.json");

export interface Result {
  readonly name: string;
  readonly version: string;
  readonly input: string;
  readonly right: number;
  readonly all: number;
  /** Day of the run. */
  readonly date: string;
  readonly note?: string;
}

/** Returns the table of docs/other-programs.md. */
export function resultDocs(): string {
  const results = JSON.parse(readFileSync(RESULTS, "utf8")) as readonly Result[];
  return [
    "| program | version | what it reads | right steps | run on | notes |",
    "|---|---|---|---|---|---|",
    ...results.map(
      ({ name, version, input, right, all, date, note }) =>
        `| ${name} | ${version} | ${input} | ${right} of ${all} | ${date} | ${note ?? ""} |`,
    ),
  ].join("\n");
}
