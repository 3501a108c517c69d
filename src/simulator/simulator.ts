/** Simulates the service on a real socket. Data depends only on the seed, the requested instants and the clock. */
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { EpochMs } from "../core/time/interval.ts";
import { operationRoutes, type ServerHandlers } from "../http/operation-routes.ts";
import { type QuotaLimits, windowStart } from "../http/quota-windows.ts";
import type { RouteContext } from "../http/route.ts";
import { addRoute, createRouter, type Router } from "../http/router.ts";
import { contractError } from "../service/contract/errors.ts";
import { ILLUSTRATED_LIMITS } from "../service/contract/limits.ts";
import type { InterfaceName, OperationId } from "../service/contract/operations.ts";
import { type HashEncoding, type ThirdPartyCredentials, thirdPartyToken } from "../service/third-party-token.ts";
import { ConsumerAccount, type Customer, Customers, createAdmission } from "./accounts.ts";
import { consumerHandlers } from "./consumer-handlers.ts";
import { controlRoutes } from "./control.ts";
import { deliverThrough } from "./fault-delivery.ts";
import { type FaultRule, FaultScript } from "./fault-rules.ts";
import { demoHomes, type HomeName, homeOfAccount, type SimulatedHome } from "./homes.ts";
import { marketOfFile, type Replay, readPriceFile } from "./market/price-file.ts";
import type { PublicationDelay } from "./market/publication.ts";
import { type AttemptsByWindow, QuotaCounter } from "./quota.ts";
import { type ClockStart, SimulatedClock } from "./simulated-clock.ts";
import { thirdPartyHandlers } from "./third-party-handlers.ts";
import { World } from "./world.ts";

export interface SimulatorOptions {
  /** Real time; `clock` is based on it. */
  readonly now: () => EpochMs;
  /** Start and speed of the simulated time; `now` unchanged if absent. */
  readonly clock?: ClockStart;
  /** 0, the default, uses a free port. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  readonly seed?: number;
  /** Text of a price file (format of Energinet's day-ahead prices, DKK per MWh); an invented market if absent. */
  readonly prices?: { readonly csv: string; readonly replay?: Replay };
  /** 60 per minute and 2000 per day by default. */
  readonly limits?: QuotaLimits;
  readonly faults?: readonly FaultRule[];
  /** Demo keys by default; `consumerKey: null` is an account without a key. */
  readonly keys?: { readonly consumerKey?: string | null; readonly thirdParty?: ThirdPartyCredentials };
  readonly hashEncoding?: HashEncoding;
  /** A name again is a copy of that home. */
  readonly homes?: readonly HomeName[];
  /** What further appliances of the first home use in an hour; nothing if absent. Unit: Wh. */
  readonly loads?: (hour: EpochMs) => number;
  /** Number of accounts, 1 by default, each with own homes, quota and key: account N has the first key with `-N`. */
  readonly accounts?: number;
  /** Publication of a local day's prices in minutes after 13:00 local time; undefined uses the seed. */
  readonly publicationDelayMinutes?: PublicationDelay;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Called when a handler throws, which is a defect of the simulator; ignored if absent. */
  readonly onCrash?: (error: unknown, requestId: string) => void;
}

export interface AnsweredRequest {
  readonly at: EpochMs;
  readonly operation: OperationId;
  /** Status before any fault; the client may have received another one. */
  readonly status: number;
  readonly requestId: string;
  readonly userAgent: string;
}

export interface Simulator extends AsyncDisposable {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly keys: {
    readonly consumerKey: string | null;
    readonly thirdParty: ThirdPartyCredentials;
    readonly thirdPartyToken: string;
  };
  /** Ids of the demo addresses; requests for one that is not in `homes` get a 404. */
  readonly addressIds: Readonly<Record<HomeName, string>>;
  readonly clock: SimulatedClock;
  readonly world: World;
  readonly account: ConsumerAccount;
  /** Returns the attempts per fixed UTC window, of the consumer interface those of the first account. */
  attempts(of?: InterfaceName): AttemptsByWindow;
  /** Returns the last responses, oldest first. */
  answered(): readonly AnsweredRequest[];
  setFaults(rules: readonly FaultRule[]): void;
  close(): Promise<void>;
}

/** Keys of the demo account. They are public, because they only give access to invented data. */
const demoKeys = {
  consumerKey: "demo-consumer-key-of-an-invented-household",
  thirdParty: { apiKey: "demo-partner", apiSecret: "demo-partner-secret" },
} as const;

/** Maximum responses kept for tests. */
const KEPT_ANSWERS = 20_000;
const KEY_BYTES = 32;

/** Starts the simulator. Rejects if the port is taken or the price file is invalid. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { limits = ILLUSTRATED_LIMITS, hashEncoding = "hex", host = "127.0.0.1" } = options;
  const keys = { ...demoKeys, ...options.keys };
  const clock = new SimulatedClock(options.now, options.clock);
  const account = new ConsumerAccount(keys.consumerKey, () => randomBytes(KEY_BYTES).toString("base64url"));
  const faults = new FaultScript(options.faults ?? []);
  const world = worldOf(options);
  const first = { account, quota: new QuotaCounter(limits), homes: world.homes };
  const customers = new Customers(first, otherCustomers(options, keys.consumerKey, world.homes));
  const quotas = { consumer: first.quota, thirdParty: new QuotaCounter(UNLIMITED) };
  const answered: AnsweredRequest[] = [];
  const stop = new AbortController();
  const context: RouteContext = {
    headers: {},
    admit: createAdmission({
      customers,
      credentials: keys.thirdParty,
      hashEncoding,
      thirdPartyQuota: quotas.thirdParty,
    }),
    now: () => clock.now(),
    newRequestId: randomUUID,
    onCrash: options.onCrash ?? (() => undefined),
  };
  const router = createRouter(context, (method) => {
    // The service's table has no error for a method.
    const reason = method === "GET" ? "unknown path" : `${method} is not supported; every operation uses GET`;
    return contractError("resource_not_found", reason);
  });
  addOperations(router, context, { world, customers, faults, quotas, answered, signal: stop.signal });
  const attemptsToday = (of: InterfaceName) => quotas[of].attempts.day.get(windowStart("day", clock.now())) ?? 0;
  const accounts = () => ({ count: customers.count, denied: customers.denied });
  for (const route of controlRoutes({ clock, account, faults, attemptsToday, accounts }))
    addRoute(router, route, context);
  const server = serverOf(router, clock, options.tls);
  await once(server.listen(options.port ?? 0, host), "listening");
  const { port } = server.address() as AddressInfo;
  const { danish, swedish, norwegian } = demoHomes;
  const close = async () => {
    stop.abort();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url: `${options.tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    keys: { ...keys, thirdPartyToken: thirdPartyToken(keys.thirdParty, hashEncoding) },
    addressIds: { danish: danish.address.id, swedish: swedish.address.id, norwegian: norwegian.address.id },
    clock,
    world,
    account,
    attempts: (of = "consumer") => quotas[of].attempts,
    answered: () => answered,
    setFaults: (rules) => faults.replace(rules),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Service {
  readonly world: World;
  readonly customers: Customers;
  readonly faults: FaultScript;
  readonly quotas: Readonly<Record<InterfaceName, QuotaCounter>>;
  /** Filled with each response. Bounded by KEPT_ANSWERS. */
  readonly answered: AnsweredRequest[];
  readonly signal: AbortSignal;
}

/** Adds the routes of both interfaces, with the faults of the script. */
function addOperations(
  router: Router,
  context: RouteContext,
  { world, customers, faults, quotas, answered, signal }: Service,
): void {
  const deliver = deliverThrough(faults, context.now, signal);
  const handlers: ServerHandlers = {
    ...consumerHandlers(world, ({ headers, now }) => {
      const homes = customers.owning(headers.authorization)?.homes ?? [];
      return faults.isOtherAccount(now) ? homes.map((home) => homeOfAccount(home, OTHER_ACCOUNT)) : homes;
    }),
    ...thirdPartyHandlers(world, () => quotas.thirdParty.attempts.day),
  };
  for (const route of operationRoutes(handlers, world.calendar)) {
    const { operation } = route;
    addRoute(router, route, {
      ...context,
      deliver: (reply, response) => {
        const userAgent = response.req.headers["user-agent"] ?? "";
        const requestId = String(reply.headers["X-Request-ID"]);
        answered.push({ at: context.now(), operation, status: reply.status, requestId, userAgent });
        if (answered.length > KEPT_ANSWERS) answered.shift();
        return deliver(operation, reply, response);
      },
    });
  }
}

function serverOf(router: Router, clock: SimulatedClock, tls: SimulatorOptions["tls"]) {
  const listener: RequestListener = (request, response) => {
    response.setHeader("Date", new Date(clock.now()).toUTCString());
    Promise.resolve(router.lookup(request, response)).catch(() => response.destroy());
  };
  return tls ? createTlsServer(tls, listener) : createServer(listener);
}

/** Returns the accounts after the first, by key. */
function otherCustomers(
  { accounts = 1, limits = ILLUSTRATED_LIMITS }: SimulatorOptions,
  key: string | null,
  homes: readonly SimulatedHome[],
): Map<string, Customer> {
  const customers = new Map<string, Customer>();
  for (let number = 2; number <= accounts; number++) {
    const own = `${key}-${number}`;
    const ownHomes = homes.map((home) => homeOfAccount(home, number));
    const account = new ConsumerAccount(own, () => own);
    customers.set(own, { account, quota: new QuotaCounter(limits), homes: ownHomes });
  }
  return customers;
}

/** Number of the account whose homes the fault `otherAccount` shows. */
const OTHER_ACCOUNT = 99;

/** The third-party interface has no published quota. */
const UNLIMITED: QuotaLimits = { minute: Number.MAX_SAFE_INTEGER, day: Number.MAX_SAFE_INTEGER };

function worldOf(options: SimulatorOptions): World {
  const { seed = 1, homes = ["danish", "swedish"], prices, publicationDelayMinutes, loads } = options;
  const reading = prices && readPriceFile(prices.csv);
  if (reading?.kind === "unreadable") throw new Error(`price file ${reading.why}`);
  return new World({
    seed,
    homes: homes.map((name, i) =>
      i === homes.indexOf(name) ? demoHomes[name] : homeOfAccount(demoHomes[name], i + 1),
    ),
    market: reading && ((calendar) => marketOfFile(reading.prices, prices.replay ?? "asDated", calendar)),
    publicationDelay: publicationDelayMinutes,
    loads,
  });
}
