/**
 * Runs one bench or all of them: `npm run bench [-- NAME]`.
 *
 * A bench is a file of this folder that exports `run(): Promise<Record<string, number | null>>`, or yields several;
 * null means that it cannot be measured on this machine (`n/a`). Its last output lines are `NAME: key=value key=value
 * …` with plain numbers.
 */
import { readdirSync } from "node:fs";

type Figures = Readonly<Record<string, number | null>>;

interface Bench {
  readonly run: () => Promise<Figures> | AsyncGenerator<Figures>;
}

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
    const bench: Bench = await import(`./${name}.ts`);
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

const [asked, ...more] = process.argv.slice(2);
if (more.length > 0 || (asked !== undefined && !known.includes(asked))) {
  const found = more.length > 0 ? "more than one name was given" : `there is no bench "${asked}"`;
  console.error(`${found}; known are ${known.join(", ")}, and no name runs them all`);
  process.exitCode = 1;
} else {
  for (const name of asked === undefined ? known : [asked]) {
    if (!(await runBench(name))) process.exitCode = 1;
  }
}
