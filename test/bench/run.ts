/**
 * Runs one bench or all of them: `npm run bench [-- NAME]`. `npm run bench -- --against COMMIT [NAME]` compares the
 * program or the sources with those of a commit, by default with the bench `day`.
 *
 * A bench is a file of this folder that exports `run(): Promise<Record<string, number | null>>`, or yields several;
 * null means that it cannot be measured on this machine (`n/a`). Its last output lines are `NAME: key=value key=value
 * …` with plain numbers.
 */
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { comparable, compareWith } from "../support/bench/against.ts";

type Figures = Readonly<Record<string, number | null>>;

const here = import.meta.dirname;
const known = readdirSync(here)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => file.slice(0, -".ts".length))
  .sort();

/** Returns a figure as plain decimals with four significant digits, never with an exponent. */
function plain(figure: number | null): string {
  if (figure === null) return "n/a";
  if (!Number.isFinite(figure)) throw new RangeError(`a figure is ${figure}`);
  if (Number.isInteger(figure) || Math.abs(figure) >= 1_000) return figure.toFixed(0);
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(figure))));
  return figure.toFixed(Math.min(decimals, 12)).replace(/\.?0+$/, "");
}

async function runBench(name: string): Promise<boolean> {
  try {
    const bench: { readonly run: () => Promise<Figures> | AsyncGenerator<Figures> } = await import(`./${name}.ts`);
    const lines = bench.run();
    for await (const line of Symbol.asyncIterator in lines ? lines : [lines]) {
      const figures = Object.entries(line).map(([key, figure]) => `${key}=${plain(figure)}`);
      console.log(`${name}: ${figures.join(" ")}`);
    }
    return true;
  } catch (error) {
    console.error(`${name}: failed`, error);
    return false;
  }
}

const { values, positionals } = parseArgs({ options: { against: { type: "string" } }, allowPositionals: true });
const [asked, ...more] = positionals;
const { against } = values;
const choice = against === undefined ? known : comparable;
if (more.length > 0 || (asked !== undefined && !choice.includes(asked))) {
  const found = more.length > 0 ? "more than one name was given" : `there is no such bench "${asked}"`;
  console.error(
    `${found}; known are ${choice.join(", ")}${against === undefined ? ", and no name runs them all" : ""}`,
  );
  process.exitCode = 1;
} else if (against !== undefined) {
  process.exitCode = compareWith(against, asked ?? "day");
} else {
  for (const name of asked === undefined ? known : [asked]) {
    if (!(await runBench(name))) process.exitCode = 1;
  }
}
