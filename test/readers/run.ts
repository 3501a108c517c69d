/**
 * `npm run lab -- readers [NAME…]`: runs other programs on what elbro publishes, and compares each step with the price of the
 * service. `READERS_DIR` is a folder with clones of the programs that no registry has.
 *
 * Writes `results.json`, from which docs/other-programs.md is generated. Exit code: 0 if all are as before or better.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { HOUR_MS } from "../../src/core/time/interval.ts";
import { type Case, cases, STEP_MS } from "./cases.ts";
import { type Demo, type Pasted, pasted, startDemo } from "./pasted.ts";
import { NotHere, type Program, programsIn, type Read } from "./programs.ts";
import { RESULTS, type Result } from "./results.ts";

/** VAT of the demo's home, within its prices. */
const VAT_FACTOR = 1.25;
/** How far estimates are checked: what all readers of estimates plan. */
const LOOKED_AHEAD_MS = 47 * HOUR_MS;
/** Steps of a program that chooses two in each hour of tomorrow. */
const CHOSEN_STEPS = 48;

const earlier = JSON.parse(readFileSync(RESULTS, "utf8")) as readonly Result[];
const sources = process.env.READERS_DIR ?? null;
const only = process.argv.slice(2);
const isWanted = ({ name }: { readonly name: string }) => only.length === 0 || only.includes(name);
const today = new Date().toISOString().slice(0, 10);

const results: Result[] = [];
const programs = programsIn(sources);
const all: Case[] = [];
if (programs.some(isWanted)) {
  for await (const each of cases()) all.push(each);
  console.log(`${all.length} times of day`);
}
for (const program of programs) keep(program, isWanted(program) ? await resultOf(program) : null);
{
  await using demo = await startDemo();
  for (const each of pasted) keep(each, isWanted(each) ? await loaded(each, demo.demo) : null);
}
writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);

/** Keeps a result, or the one of an earlier run. */
function keep({ name, input }: { readonly name: string; readonly input: string }, result: Result | null): void {
  const before = earlier.find((each) => each.name === name && each.input === input);
  if (result ?? before) results.push(result ?? (before as Result));
  if (result && result.right * (before?.all ?? 1) < (before?.right ?? 0) * result.all) process.exitCode = 1;
}

/** Loads what is pasted into a program. Returns null if it is not here. */
async function loaded({ name, input, run }: Pasted, demo: Demo): Promise<Result | null> {
  try {
    // A program before may have blocked this process: see first which connections were closed meanwhile.
    await pause(1);
    const { version, right, all } = await run(demo, sources);
    console.log(`${name} ${version}, ${input}: ${right} of ${all}`);
    return { name, version, input, right, all, date: today };
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
    console.log(`${name}, ${input}: not run: ${error.message}`);
    return null;
  }
}

/** Runs a program. Returns null if it is not here. */
async function resultOf(program: Program): Promise<Result | null> {
  const { name, input, note } = program;
  try {
    const { version, results: read } = await program.run(all);
    const counted = { right: 0, all: 0, wrong: new Set<string>() };
    for (const [i, each] of all.entries()) count(program, each, read[i] ?? "nothing", counted);
    console.log(`${name} ${version}, ${input}: ${counted.right} of ${counted.all}`);
    for (const wrong of [...counted.wrong].slice(0, 5)) console.log(`  ${wrong}`);
    return { name, version, input, right: counted.right, all: counted.all, date: today, ...(note ? { note } : {}) };
  } catch (error) {
    if (!(error instanceof NotHere)) throw error;
    console.log(`${name}, ${input}: not run: ${error.message}`);
    return null;
  }
}

function count(
  program: Program,
  each: Case,
  read: Read,
  counted: { right: number; all: number; wrong: Set<string> },
): void {
  const right = expected(program, each);
  const found = typeof read === "string" ? [] : read;
  const prices = new Map(found);
  const starts = startsOf(program, each, found, [...right.keys()]);
  for (const at of starts) {
    counted.all++;
    const [price, wanted] = [prices.get(at) ?? Number.NaN, right.get(at) ?? Number.NaN];
    if (Math.abs(price - wanted) <= 0.5 * 10 ** -program.decimals + 1e-9) counted.right++;
    else if (typeof read === "string") counted.wrong.add(`${each.name}: ${read}`);
    else counted.wrong.add(`${each.name}: ${new Date(at).toISOString()} ${price}, not ${wanted}`);
  }
}

/** Returns the right price of each step from now on, by its start. */
function expected({ home, steps }: Program, { now, right }: Case): ReadonlyMap<number, number> {
  const { confirmed, estimates } = right[home] ?? { confirmed: [], estimates: [] };
  const reached = confirmed.at(-1)?.end ?? 0;
  const until = steps === "all" ? now + LOOKED_AHEAD_MS : reached;
  const prices = new Map<number, number>();
  for (const { start, end, price, charges } of [...confirmed, ...estimates])
    for (let at = start; at < Math.min(end, until); at += STEP_MS) {
      if (at + STEP_MS <= now || prices.has(at)) continue;
      prices.set(at, steps === "sold" ? (price - charges) / VAT_FACTOR : price);
    }
  return prices;
}

/** Returns the steps that a program has to have: those of its own plan, if it makes one, otherwise all. */
function startsOf(
  { steps }: Program,
  { entities }: Case,
  found: readonly (readonly [number, number])[],
  all: readonly number[],
): readonly number[] {
  const [first, last] = [found[0]?.[0], found.at(-1)?.[0]];
  if (steps === "known" || first === undefined || last === undefined) {
    const { tomorrow_valid: isKnown } = entities.nordpool as { tomorrow_valid: boolean };
    return steps === "chosen" ? Array.from({ length: isKnown ? CHOSEN_STEPS : 0 }, (_, i) => i) : all;
  }
  return steps === "chosen" ? found.map(([at]) => at) : all.filter((at) => at >= first && at <= last);
}
