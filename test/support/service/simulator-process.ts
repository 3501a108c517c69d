/** Runs the simulator in its own process, with HTTPS if a key is given. Prints its URL and consumer key. */
import { startSimulator } from "../../../src/simulator/simulator.ts";

const { TLS_KEY, TLS_CERT, CLOCK, SPEED, ACCOUNTS } = process.env;
const simulator = await startSimulator({
  now: Date.now,
  ...(TLS_KEY && TLS_CERT ? { tls: { key: TLS_KEY, cert: TLS_CERT } } : {}),
  ...(ACCOUNTS ? { accounts: Number(ACCOUNTS), homes: ["danish"] } : {}),
  ...(CLOCK ? { clock: { at: Date.parse(CLOCK), speed: Number(SPEED ?? 1) } } : {}),
});
process.stdout.write(`${simulator.url} ${simulator.keys.consumerKey}\n`);
