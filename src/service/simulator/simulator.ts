/**
 * Plays the whole service on a real socket: both interfaces, both kinds of authentication, quotas, data that comes
 * when it comes, and faults on request. What it answers is a function of the seed, the instant asked for and its clock.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { EpochMs } from "../../core/time/interval.ts";
import { ILLUSTRATED_LIMITS } from "../contract/limits.ts";
import type { InterfaceName, OperationId } from "../contract/operations.ts";
import { createApiRouter, type MountOptions, mount, serveUnknown } from "../serve/mount.ts";
import { type QuotaLimits, windowStart } from "../serve/quota-windows.ts";
import { type HashEncoding, type ThirdPartyCredentials, thirdPartyToken } from "../third-party-token.ts";
import { ConsumerAccount, type Customer, Customers, createAdmission } from "./accounts.ts";
import { consumerHandlers } from "./consumer-handlers.ts";
import { mountControl } from "./control.ts";
import { deliverThrough } from "./fault-delivery.ts";
import { type FaultRule, FaultScript } from "./fault-rules.ts";
import { demoHomes, type Home, type HomeName, homeOfAccount } from "./homes.ts";
import { marketOfFile, type Replay, readPriceFile } from "./price-file.ts";
import type { PublicationDelay } from "./publication.ts";
import { type AttemptsByWindow, QuotaCounter } from "./quota.ts";
import { type ClockStart, SimulatedClock } from "./simulated-clock.ts";
import { thirdPartyHandlers } from "./third-party-handlers.ts";
import { World } from "./world.ts";

export interface SimulatorOptions {
  /** Source of real time; `clock` is laid over it. */
  readonly now: () => EpochMs;
  /** Where simulated time begins and how fast it runs; exactly `now` where absent. */
  readonly clock?: ClockStart;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** 127.0.0.1 where absent. */
  readonly host?: string;
  readonly seed?: number;
  /** Text of a price file (format of Energinet's day-ahead prices, DKK per MWh); an invented market where absent. */
  readonly prices?: { readonly csv: string; readonly replay?: Replay };
  /** 60 a minute and 2000 a day where absent. */
  readonly limits?: QuotaLimits;
  readonly faults?: readonly FaultRule[];
  /** The keys of a demo where absent; `consumerKey: null` is an account that has not created its key. */
  readonly keys?: { readonly consumerKey?: string | null; readonly thirdParty?: ThirdPartyCredentials };
  readonly hashEncoding?: HashEncoding;
  readonly homes?: readonly HomeName[];
  /**
   * How many accounts there are, one where absent. Each has homes, a quota and a key of its own: the first the one of
   * `keys`, account N the same with `-N` behind it.
   */
  readonly accounts?: number;
  /** Minutes after 13:00 local at which the prices of the local day become public; undefined leaves it to the seed. */
  readonly publicationDelayMinutes?: PublicationDelay;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Told of a handler that threw, which is a defect of the simulator; silent where absent. */
  readonly onCrash?: (error: unknown, requestId: string) => void;
}

export interface AnsweredRequest {
  readonly at: EpochMs;
  readonly operation: OperationId;
  /** The status the service meant to give; a fault may have kept it from the caller. */
  readonly status: number;
}

export interface Simulator extends AsyncDisposable {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly keys: {
    readonly consumerKey: string | null;
    readonly thirdParty: ThirdPartyCredentials;
    readonly thirdPartyToken: string;
  };
  /** Ids of the demo's addresses; one that is not among `homes` answers 404. */
  readonly addressIds: Readonly<Record<HomeName, string>>;
  readonly clock: SimulatedClock;
  readonly account: ConsumerAccount;
  /** Attempts per fixed UTC window: those of the consumer account, denied ones too, or those of the third-party. */
  attempts(of?: InterfaceName): AttemptsByWindow;
  /** The last answers, oldest first. */
  answered(): readonly AnsweredRequest[];
  /** Replaces the script of faults. */
  setFaults(rules: readonly FaultRule[]): void;
  close(): Promise<void>;
}

/** Keys of the demo account; anyone may know them, for they open nothing but an invention. */
const demoKeys = {
  consumerKey: "demo-consumer-key-of-an-invented-household",
  thirdParty: { apiKey: "demo-partner", apiSecret: "demo-partner-secret" },
} as const;

/** Answers remembered for tests to look at. */
const KEPT_ANSWERS = 20_000;
const KEY_BYTES = 32;

/** Starts the service's double. Errors: rejects where the port is taken or the price file cannot be read. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { limits = ILLUSTRATED_LIMITS, hashEncoding = "hex", host = "127.0.0.1" } = options;
  const keys = { ...demoKeys, ...options.keys };
  const clock = new SimulatedClock(options.now, options.clock);
  const now = () => clock.now();
  const account = new ConsumerAccount(keys.consumerKey, () => randomBytes(KEY_BYTES).toString("base64url"));
  const faults = new FaultScript(options.faults ?? []);
  const thirdPartyQuota = new QuotaCounter(UNLIMITED);
  const world = worldOf(options);
  const first = { account, quota: new QuotaCounter(limits), homes: world.homes };
  const customers = new Customers(first, otherCustomers(options, keys.consumerKey, world.homes));
  const quotas = { consumer: first.quota, thirdParty: thirdPartyQuota };
  const answered: AnsweredRequest[] = [];
  const stop = new AbortController();
  const deliver = deliverThrough(faults, now, stop.signal);

  const mounted: MountOptions = {
    handlers: {
      ...consumerHandlers(world, ({ headers }) => customers.owning(headers.authorization)?.homes ?? []),
      ...thirdPartyHandlers(world, () => quotas.thirdParty.attempts.day),
    },
    admit: createAdmission({ customers, partner: keys.thirdParty, hashEncoding, thirdPartyQuota }),
    calendar: world.calendar,
    now,
    newRequestId: randomUUID,
    onCrash: options.onCrash ?? (() => undefined),
    deliver: (operation, reply, response) => {
      answered.push({ at: now(), operation, status: reply.status });
      if (answered.length > KEPT_ANSWERS) answered.shift();
      return deliver(operation, reply, response);
    },
  };
  const router = createApiRouter((request, response) => serveUnknown(mounted, request, response));
  mount(router, mounted);
  const attemptsToday = (of: InterfaceName) => quotas[of].attempts.day.get(windowStart("day", now())) ?? 0;
  const accounts = () => ({ count: customers.count, denied: customers.denied });
  mountControl(router, { clock, account, faults, attemptsToday, accounts });

  const listener: RequestListener = (request, response) => {
    response.setHeader("Date", new Date(now()).toUTCString());
    Promise.resolve(router.lookup(request, response)).catch(() => response.destroy());
  };
  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  await once(server.listen(options.port ?? 0, host), "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    stop.abort();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url: `${options.tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    keys: { ...keys, thirdPartyToken: thirdPartyToken(keys.thirdParty, hashEncoding) },
    addressIds: { danish: idOf("danish"), swedish: idOf("swedish"), norwegian: idOf("norwegian") },
    clock,
    account,
    attempts: (of = "consumer") => quotas[of].attempts,
    answered: () => answered,
    setFaults: (rules) => faults.replace(rules),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The accounts after the first, by key. */
function otherCustomers(
  { accounts = 1, limits = ILLUSTRATED_LIMITS }: SimulatorOptions,
  key: string | null,
  homes: readonly Home[],
): Map<string, Customer> {
  const numbers = Array.from({ length: accounts - 1 }, (_, i) => i + 2);
  return new Map(
    numbers.map((number) => {
      const own = `${key}-${number}`;
      const account = new ConsumerAccount(own, () => own);
      const ownHomes = homes.map((home) => homeOfAccount(home, number));
      return [own, { account, quota: new QuotaCounter(limits), homes: ownHomes }];
    }),
  );
}

/** The third-party interface publishes no quota. */
const UNLIMITED: QuotaLimits = { minute: Number.MAX_SAFE_INTEGER, day: Number.MAX_SAFE_INTEGER };

function worldOf({
  seed = 1,
  homes = ["danish", "swedish"],
  prices,
  publicationDelayMinutes,
}: SimulatorOptions): World {
  const reading = prices && readPriceFile(prices.csv);
  if (reading?.kind === "unreadable") throw new Error(`price file ${reading.why}`);
  return new World({
    seed,
    homes: homes.map((name) => demoHomes[name]),
    market: reading && ((calendar) => marketOfFile(reading.prices, prices.replay ?? "asDated", calendar)),
    publicationDelay: publicationDelayMinutes,
  });
}

function idOf(home: HomeName): string {
  return demoHomes[home].address.id;
}
