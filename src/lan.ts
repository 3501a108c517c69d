/** The LAN API put together: mirror, keys, health. */
import { randomUUID } from "node:crypto";
import type { Accounts } from "./accounts.ts";
import type { Clock } from "./collector/clock.ts";
import type { Config } from "./config/schema.ts";
import { contractError } from "./contract/errors.ts";
import { type OperationId, operationOf, type ParamsOf } from "./contract/operations.ts";
import { rangeOf, seriesOf } from "./contract/shelving.ts";
import type { Calendar } from "./core/calendar.ts";
import type { SeriesKey } from "./core/series.ts";
import type { Homes } from "./homes.ts";
import type { Library } from "./library.ts";
import { keyDigest, LanKeys } from "./server/lan-keys.ts";
import { type MirrorSource, mirrorHandlers } from "./server/mirror.ts";
import { createApiRouter, mount, type Router } from "./server/mount.ts";
import type { Account } from "./upstream/account.ts";

export interface LanOptions {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly homes: Homes;
  readonly library: Library;
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly onChange: (series: SeriesKey) => void;
  readonly onCrash: (error: unknown, requestId: string) => void;
  readonly health: () => { readonly healthy: boolean; readonly report: object };
}

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/** Whether a host to listen on can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/** The routes of the LAN API. */
export function lanRouter(options: LanOptions): Router {
  const { config, calendar, clock, health } = options;
  const router = createApiRouter(randomUUID);
  const keys = new LanKeys(
    config.api.keys.map(({ name, key }) => ({ name, sha256: keyDigest(key) })),
    { minute: config.api.requests_per_minute, day: config.api.requests_per_day },
  );
  mount(router, {
    handlers: mirrorHandlers(mirrorSource(options)),
    admit: (arrival) => keys.admit(arrival),
    calendar,
    now: () => clock.now(),
    newRequestId: randomUUID,
    onCrash: options.onCrash,
  });
  router.on("GET", "/healthz", (_request, response) => {
    const { healthy, report } = health();
    response.writeHead(healthy ? 200 : 503, { "Content-Type": "application/json", "Cache-Control": "no-store" });
    response.end(`${JSON.stringify(report)}\n`);
  });
  return router;
}

function mirrorSource({ accounts, homes, library, clock, onChange }: LanOptions): MirrorSource {
  const accountFor = (operation: OperationId, params: ParamsOf<OperationId>): Account | null => {
    if (operationOf(operation).interface === "thirdParty") return accounts.thirdParty;
    const owner = homes.accountOf(seriesOf("", operation, params).place);
    return accounts.consumers.find((account) => account.name === owner) ?? accounts.consumers[0] ?? null;
  };
  return {
    find(operation, params, now) {
      const account = accountFor(operation, params);
      return account && library.find(account.name, operation, params, now);
    },
    async ask(operation, params) {
      const account = accountFor(operation, params);
      if (!account) {
        const { code, reason } = contractError("forbidden", "this elbro has no key for this interface of the service");
        return { kind: "refused", status: 403, code, reason, retryAfterMs: null, requestId: null };
      }
      const series = seriesOf(account.name, operation, params);
      const range = operationOf(operation).range ? rangeOf(operation, params) : null;
      const reply = await account.ask({ operation, params, share: "lan", seriesId: library.shelf.idOf(series), range });
      if (reply.kind !== "ok") return reply;
      if (library.keepAnswer(account.name, operation, params, reply.body, clock.now())) onChange(series);
      return { kind: "kept" };
    },
  };
}
