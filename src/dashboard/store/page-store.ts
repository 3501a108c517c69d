/**
 * Data of the page as signals, and the state of the connection to the daemon.
 *
 * Everything is read once, and again when an event reports a change. Without a connection, the page keeps its data and
 * shows a notice. It reads everything again when the connection returns. Until then its prices stay correct, because
 * each has its time.
 */
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { changeCount } from "../history/changes.ts";
import type { Prices } from "../timeline.ts";
import type { HomeAnswer, Plan, PricesAnswer, Session, System } from "./answers.ts";
import { failures, forgetLast, NOTHING, oldestShown } from "./last-answers.ts";
import { reloadIfOutdated } from "./outdated.ts";
import { call, pathOf, readOrLast, refusalIn } from "./requests.ts";

const RETRY_MS = 4_000;
/** Time in ms within which several events cause one request. */
const GATHER_MS = 120;
/** The same time for events about the daemon, which are frequent. */
const SYSTEM_GATHER_MS = 1_500;
const MAX_RETRY_SEC = 60;

type PriceEvent = { readonly start: string | null; readonly end: string | null };

type DataEvent = { readonly home: string | null; readonly series: string };

export class PageStore {
  readonly session = signal<Session | null>(null);
  readonly homes = signal<readonly HomeAnswer[]>([]);
  /** Id of the shown home. */
  readonly homeId = signal<string | null>(null);
  readonly home = computed(() => this.homes.value.find(({ id }) => id === this.homeId.value) ?? this.homes.value[0]);
  readonly pricesByHome = signal<ReadonlyMap<string, Prices>>(new Map());
  readonly prices = computed(() => this.pricesByHome.value.get(this.home.value?.id ?? "") ?? null);
  readonly plans = signal<readonly Plan[] | null>(null);
  /** Plans of the shown home. */
  readonly homePlans = computed(() => (this.plans.value ?? []).filter(({ home }) => home === this.home.value?.id));
  /** A text that changes when a run of one of these plans ends. */
  readonly lastRuns = computed(() => this.homePlans.value.map(({ id, last_run: run }) => `${id} ${run?.end}`).join());
  /** Ids of plans whose home is unknown. */
  readonly waitingPlans = signal<readonly string[]>([]);
  readonly system = signal<System | null>(null);
  /** Time when the contact was lost; null while there is contact. Unit: epoch ms of the daemon's clock. */
  readonly lostAt = signal<number | null>(null);
  /** Time that the page shows. Unit: epoch ms of the daemon's clock. */
  readonly time = signal(Date.now());
  /** Number of changes of the shown home's rows. */
  readonly rowChanges = signal(0);
  readonly mayControl = computed(() => this.session.value?.control === true);
  readonly mayRead = computed(() => this.session.value?.house !== undefined);
  /** Whether the first view can be shown: prices and plans are known, or could not be read. */
  readonly isReady = computed(() => this.#isRead.value || (this.prices.value !== null && this.plans.value !== null));
  /** Time when the oldest shown data was read; Infinity before. Unit: epoch ms of the daemon's clock. */
  readonly shownAt = computed(() => Math.min(this.#readAt.value, oldestShown.value + this.#skewMs));
  readonly #readAt = signal(NOTHING);
  readonly #isRead = signal(false);
  /** Reads from the daemon, or what is kept. */
  #ask: typeof readOrLast = call;
  readonly #due = new Map<string, ReturnType<typeof setTimeout>>();
  #skewMs = 0;
  #events: EventSource | null = null;

  /** `home` is the id chosen on an earlier visit; null without a choice. */
  constructor(home: string | null) {
    this.homeId.value = home;
    effect(() => {
      if (failures.value > 0) untracked(() => this.lost());
    });
  }

  /** Returns the daemon's time. The device's clock may be wrong, and the daemon may have a simulated clock. */
  now(): number {
    return Date.now() + this.#skewMs;
  }

  /** Updates the shown time. */
  tick(): void {
    this.time.value = this.now();
  }

  /** Reads the session, and starts to read everything else. */
  async start(): Promise<void> {
    await this.#enter();
    if (this.mayRead.value) void this.begin();
  }

  /** Reads the session. A demo on this machine logs in without being asked. */
  async #enter(): Promise<void> {
    await this.readSession();
    const { demo_key, signed_in } = this.session.value ?? {};
    if (demo_key === undefined || signed_in) return;
    await call("POST /local/v1/session", {}, { body: { key: demo_key } });
    await this.readSession();
  }

  async readSession(): Promise<void> {
    const session = await this.#ask("GET /local/v1/session", {});
    this.#skewMs = Date.parse(session.now) - this.#readTime();
    reloadIfOutdated(session.page_digest);
    if (!session.house) forgetLast();
    batch(() => this.#use(session));
  }

  /** Shows what was known at the last visit, if that is kept. */
  async showLast(): Promise<void> {
    this.#ask = readOrLast;
    await this.readSession().catch(refusalIn);
    if (this.mayRead.value) await this.readAll();
    this.#ask = call;
  }

  /** Reads everything and subscribes to events. */
  async begin(): Promise<void> {
    const read = this.readAll();
    // Requested last: the first view waits for prices and plans.
    this.#listen();
    await read;
  }

  async readAll(): Promise<void> {
    // Prices of another home are read when it is shown.
    const homes = this.homes.value.map(({ id }) => id);
    const shown = homes.filter((id) => id === this.homeId.value || this.pricesByHome.value.has(id));
    await Promise.all([...shown.map((id) => this.readPrices(id)), this.readPlans(), this.readSystem()]);
    this.#isRead.value = true;
  }

  /** Shows another home. */
  choose(home: string): void {
    this.homeId.value = home;
    if (!this.pricesByHome.value.has(home)) void this.readPrices(home);
  }

  async readPrices(home: string): Promise<void> {
    await this.#read(`prices ${home}`, async () => {
      const prices = pricesOf(await this.#ask("GET /local/v1/prices", { home }));
      this.pricesByHome.value = new Map([...this.pricesByHome.value, [home, prices]]);
    });
  }

  async readPlans(): Promise<void> {
    await this.#read("plans", async () => {
      const { plans, waiting } = await this.#ask("GET /local/v1/plans", {});
      this.plans.value = plans;
      this.waitingPlans.value = waiting.map(({ name }) => name);
    });
  }

  async readSystem(): Promise<void> {
    await this.#read("system", async () => {
      this.system.value = await this.#ask("GET /local/v1/system", {});
    });
  }

  /** Time on this device of what is read. */
  #readTime(): number {
    return this.#ask === call ? Date.now() : Math.min(Date.now(), oldestShown.value);
  }

  /** Reads something once. If that fails, the earlier data stays. */
  async #read(name: string, read: () => Promise<void>): Promise<void> {
    try {
      await read();
      this.#readAt.value = this.#readTime() + this.#skewMs;
      this.tick();
    } catch (thrown) {
      const { status, retryAfterSec } = refusalIn(thrown);
      if (status === 401) this.#signedOut();
      else if (status !== null)
        this.#soon(name, () => this.#read(name, read), Math.min(MAX_RETRY_SEC, retryAfterSec ?? 15) * 1_000);
    }
  }

  #use(session: Session): void {
    this.session.value = session;
    const { homes } = session.house ?? {};
    if (homes) this.homes.value = homes;
    if (homes && !homes.some(({ id }) => id === this.homeId.value)) this.homeId.value = homes[0]?.id ?? null;
    this.tick();
  }

  #listen(): void {
    this.#events?.close();
    const events = new EventSource(pathOf("events"));
    this.#events = events;
    events.onopen = () => void this.#found();
    events.onerror = () => {
      this.lost();
      // Browsers do not subscribe again after a refusal: the session has ended, or the daemon is starting.
      if (events.readyState !== EventSource.CLOSED || events !== this.#events) return;
      this.#events = null;
      this.#soon("contact", () => this.#found(), RETRY_MS);
    };
    const on = (types: readonly string[], then: (data: string) => void) => {
      for (const type of types) events.addEventListener(type, ({ data }: MessageEvent<string>) => then(data));
    };
    on(["price"], (data) => this.#priced(JSON.parse(data) as PriceEvent));
    on(["data"], (data) => this.#rowsChanged(JSON.parse(data) as DataEvent));
    on(["plan", "signal"], () => this.#soon("plans", () => this.readPlans(), GATHER_MS));
    on(["problem"], () => this.#soon("system", () => this.readSystem(), GATHER_MS));
    on(["quota", "plug"], () => this.#soon("system", () => this.readSystem(), SYSTEM_GATHER_MS));
  }

  async #found(): Promise<void> {
    if (this.lostAt.value === null) return;
    try {
      await this.#enter();
      if (this.mayRead.value && !this.#events) return this.#listen();
      if (this.mayRead.value) await this.readAll();
      else this.#signedOut();
      batch(() => {
        this.lostAt.value = null;
        oldestShown.value = NOTHING;
        // Events may have been missed.
        this.rowChanges.value++;
        changeCount.value++;
      });
    } catch (thrown) {
      refusalIn(thrown);
      this.#soon("contact", () => this.#found(), RETRY_MS);
    }
  }

  /** Shows that the contact is lost, and looks for it. The stream of events may outlive a short loss. */
  lost(): void {
    if (this.lostAt.value !== null) return;
    this.lostAt.value = this.now();
    this.#soon("contact", () => this.#found(), RETRY_MS);
  }

  #signedOut(): void {
    this.#events?.close();
    this.#events = null;
    forgetLast();
    const session = this.session.value;
    if (!session) return;
    const { house: _, ...others } = session;
    this.session.value = { ...others, signed_in: false };
  }

  /** Handles a new price. If it is not the current one by the page's clock, the daemon's clock has changed. */
  #priced({ start, end }: PriceEvent): void {
    const now = this.now();
    if (start && end && (Date.parse(start) > now || Date.parse(end) <= now))
      this.#soon("session", () => this.readSession(), GATHER_MS);
    else this.tick();
  }

  #rowsChanged({ home, series }: DataEvent): void {
    const shown = this.home.value;
    const readPrices = (id: string) => this.#soon(`prices ${id}`, () => this.readPrices(id), GATHER_MS);
    // A home exists once its address has rows.
    if (!shown) this.#soon("session", () => this.readSession(), GATHER_MS);
    // Rows without a home may belong to a place, which has only prices.
    if (home === null && shown?.address_id === null) readPrices(shown.id);
    if (home !== null && (series === "prices" || series === "forecastPrices")) readPrices(home);
    else if (home === shown?.id) this.rowChanges.value++;
  }

  #soon(name: string, read: () => Promise<void>, afterMs: number): void {
    clearTimeout(this.#due.get(name));
    const run = () => void read().catch(refusalIn);
    this.#due.set(name, setTimeout(run, afterMs));
  }
}

function pricesOf({ currency, vat_included: vatIncluded, prices, doubtful }: PricesAnswer): Prices {
  const points = prices.map(({ start, end, price, level, estimate, rank, rank_of: rankOf, parts }) => ({
    start: Date.parse(start),
    end: Date.parse(end),
    price,
    estimate,
    level: level ?? ("unknown" as const),
    rank,
    rankOf,
    parts,
    mark: estimate ? ("estimate" as const) : undefined,
  }));
  const look = { estimate: true, level: "unknown", mark: "doubtful" } as const;
  const wrong = doubtful.map(({ start, end, price }) => ({
    start: Date.parse(start),
    end: Date.parse(end),
    price,
    ...look,
  }));
  return { currency, vatIncluded, points, shown: [...points, ...wrong].sort((a, b) => a.start - b.start) };
}
