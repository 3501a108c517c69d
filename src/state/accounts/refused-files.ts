/** Problems of files in `accounts_dir` that cannot be used. */
import { isDeepStrictEqual } from "node:util";
import { type Message, textIn } from "../../core/language/text.ts";
import type { Problems } from "../../core/status/problem.ts";
import type { EpochMs } from "../../core/time/interval.ts";

export class RefusedFiles {
  readonly #problems: Pick<Problems, "start" | "end">;
  /** Last reported mistake by file. */
  #reported: Readonly<Record<string, Message>> = {};

  constructor(problems: Pick<Problems, "start" | "end">) {
    this.#problems = problems;
  }

  /** Starts and ends the problems. `refused` has the mistake of each file. */
  report(refused: Readonly<Record<string, Message>> = {}, now: EpochMs): void {
    for (const [file, said] of Object.entries(this.#reported))
      if (!isDeepStrictEqual(refused[file], said)) this.#problems.end(subjectOf(file));
    for (const [file, said] of Object.entries(refused))
      this.#problems.start({
        code: "account_refused",
        subject: subjectOf(file),
        since: now,
        names: { file },
        detail: `${file}: ${textIn("en", said)}`,
      });
    this.#reported = refused;
  }
}

function subjectOf(file: string): string {
  return `account file ${file}`;
}
