import { type Permit, RateLimiter } from "../../../src/service/client/rate-limiter.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { RequestLog } from "../../../src/storage/request-log.ts";
import { ManualMachine } from "../clock/manual-machine.ts";

/** Returns a permit of a new rate limiter, for a test of what uses it. */
export function newPermit(account: string): Permit {
  const { clock, memory } = new ManualMachine();
  const source = { budget: () => [], learn: () => undefined };
  const requestLog = new RequestLog(openDatabase(":memory:"));
  const result = new RateLimiter({ account, requestLog, memory, clock, source }).acquire("poll", null, null);
  if (result.kind === "wait") throw new Error("a rate limiter without limits grants each permit");
  return result.permit;
}
