/** Everything that elbro waits for by its own decision for more than ten minutes is a problem that is shown. */

import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { FetchFailure } from "../../src/core/fetching/fetch-outcome.ts";
import { judge } from "../../src/core/fetching/retry-policy.ts";
import { problemCatalog } from "../../src/core/status/problem-catalog.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/core/time/interval.ts";

const SRC = path.resolve(import.meta.dirname, "../../src");
const SHOWN_FROM_MS = 10 * MINUTE_MS;

/** Names of constants that are waits. */
const WAIT =
  /^(?=.*(WAIT|RETRY|PAUSE|PROBE|BACKOFF|LONGEST|TRIAL|TOLERATED|AGAIN|BROKER_SAVES|BREAKER|NAMED|OUTAGE)).*$/;

/** What shows a wait: a code of the problem catalogue, or why it is not a wait for the owner. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  "core/fetching/retry-policy.ts PROBE_INVALID_TOKEN_MS": "invalid_token",
  "core/fetching/retry-policy.ts UNKNOWN_ADDRESS_PAUSE_MS": "address_gone",
  "core/fetching/retry-policy.ts MAX_NAMED_MS": "rate_limited",
  "core/fetching/retry-policy.ts MAX_OUTAGE_MS": "service_trouble",
  "core/fetching/retry-policy.ts BREAKER_LONGEST_MS": "unreachable",
  "http/guards/login-throttle.ts MAX_WAIT_MS": "not a wait: elbro does not wait, a client with a wrong key does",
  "integrations/homeassistant/connection-failures.ts RETRY_TOKEN_MS": "home_assistant_refused",
  "integrations/notify/notify-loop.ts RETRY": "notifications_failed",
  "integrations/notify/notify-loop.ts RETRY_REFUSED_MS": "notifications_failed",
  "mqtt/client/mqtt-client.ts BROKER_SAVES_MS": "topics_refused",
  "mqtt/client/rejected-topics.ts TRIAL_MS": "topics_refused",
  "state/answers/doubtful-prices.ts MIN_PAUSE_MS": "implausible_price",
  "state/answers/withdrawn-rows.ts MIN_PAUSE_MS": "not a wait: the least time between two answers that agree",
  "state/clock-guard.ts MAX_PAUSE_MS": "not a wait: the longest pause of a machine",
  "state/nightly-maintenance.ts RETRY_MS": "copy_failed",
  "state/series-repository.ts LONGEST_CHUNK_MS": "not a wait: the longest stored part",
};

/** Every failure of a request. */
const failures: readonly FetchFailure[] = [
  { kind: "unreachable", why: "", retryAfterMs: 2 * HOUR_MS } as FetchFailure,
  { kind: "malformed", why: "", requestId: null },
  ...[302, 400, 401, 403, 404, 418, 422, 429, 500, 502, 503, 504].flatMap((status) =>
    [null, "credential_expired", "plus_required"].map(
      (code): FetchFailure => ({
        ...{ kind: "refused", status, code, reason: "", requestId: null, retryAfterMs: 2 * HOUR_MS },
      }),
    ),
  ),
];

test("every pause of the service's client of more than ten minutes has a problem", () => {
  const hidden = failures.flatMap((failure) =>
    Array.from({ length: 20 }, (_, streak) => judge(failure, streak, () => 1))
      .filter(({ waitMs, problem }) => waitMs > SHOWN_FROM_MS && problem === null)
      .map(() => (failure.kind === "refused" ? failure.status : failure.kind)),
  );
  // 422: the address does not have this kind of data, and nothing is missing.
  expect([...new Set(hidden)]).toEqual([422]);
});

test("every constant of a wait of more than ten minutes is shown by a problem", () => {
  const units = { SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS };
  const found = globSync("**/*.ts", { cwd: SRC }).flatMap((file) => {
    if (/simulator|dashboard/.test(file)) return [];
    const text = readFileSync(path.join(SRC, file), "utf8");
    return [...text.matchAll(/^(?:export )?const ([A-Z_]+)(?:: number)? = ([^;]+);/gm)].flatMap(
      ([, name = "", value = ""]) => {
        if (!WAIT.test(name)) return [];
        const numbers = [...value.matchAll(/(?:\w+: )?([\w.]+(?: [*+] [\w.]+)*)/g)].map(([, product = ""]) =>
          msOf(product, units),
        );
        return Math.max(...numbers) > SHOWN_FROM_MS ? [`${file} ${name}`] : [];
      },
    );
  });
  expect(found.sort()).toEqual(Object.keys(SHOWN_BY).sort());
  const codes = Object.keys(problemCatalog);
  for (const shown of Object.values(SHOWN_BY))
    expect(codes.includes(shown) || shown.startsWith("not a wait: ")).toBe(true);
});

/** Returns the value of a sum of products of numbers and units; 0 for anything else. */
function msOf(text: string, units: Readonly<Record<string, number>>): number {
  const sum = text
    .split(" + ")
    .map((product) =>
      product.split(" * ").reduce((value, part) => value * (units[part] ?? Number(part.replaceAll("_", ""))), 1),
    );
  const total = sum.reduce((all, part) => all + part, 0);
  return Number.isFinite(total) && /_|\*/.test(text) ? total : 0;
}
