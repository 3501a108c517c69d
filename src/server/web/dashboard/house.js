/**
 * The house as the page knows it: what was read, what has happened since, and whether there is contact. Whoever shows
 * something of it listens for `change`.
 *
 * Everything is read once and then again when an event says that it changed. Without contact the page goes on with what
 * it has: prices know themselves when they hold. It says so, and reads everything again when contact is back.
 */

/** A path below the page, wherever a proxy has put it. */
const at = (path) => new URL(path, document.baseURI);
const RETRY_MS = 4_000;
/** Several events of one moment are one reading. */
const GATHER_MS = 120;
/** Events that tell of the daemon come often; its numbers need not be newer than this. */
const SYSTEM_GATHER_MS = 1_500;
const TIMEOUT_MS = 15_000;

/** What became of a request: an answer that says no has its `status`, `code` and `reason`, of a plan its `refusal`; no answer has no status. */
export class Refusal extends Error {
  constructor({ status, code, reason, refusal, retryAfterSec }) {
    super(reason);
    Object.assign(this, { status, code, reason, refusal, retryAfterSec });
  }
}

export class House extends EventTarget {
  session = null;
  homes = [];
  /** The home that is shown, by its id. */
  home = null;
  /** By home. */
  prices = new Map();
  plans = null;
  system = null;
  /** Since when there is no contact; null while there is. Unit: ms of the page's clock. */
  lostAt = null;
  /** When something was last read. */
  readAt = null;
  #skewMs = 0;
  #events = null;
  #due = new Map();
  #version = null;
  #isRead = false;

  /** The daemon's time: a tablet on the wall may go wrong, and a daemon may live in another time. */
  now() {
    return Date.now() + this.#skewMs;
  }

  get currentHome() {
    return this.homes.find(({ id }) => id === this.home) ?? this.homes[0] ?? null;
  }

  /** `home` is the one that was chosen before, if any. */
  constructor(home) {
    super();
    this.home = home;
  }

  /** Learns who looks; what the house is comes on its way after that. */
  async start() {
    await this.readSession();
    if (this.mayRead) void this.begin();
  }

  get mayRead() {
    return this.session !== null && this.session.house !== undefined;
  }

  async readSession() {
    const session = await this.get("local/v1/session");
    this.#skewMs = Date.parse(session.now) - Date.now();
    this.session = session;
    if (session.house) {
      if (this.#version !== null && this.#version !== session.house.version) location.reload();
      this.#version = session.house.version;
      this.homes = session.house.homes;
      if (!this.homes.some(({ id }) => id === this.home)) this.home = this.homes[0]?.id ?? null;
    }
    this.#changed("session");
  }

  /** Reads everything and listens from now on. */
  async begin() {
    this.#listen();
    await this.readAll();
  }

  async readAll() {
    // Prices of another home are read when it is shown.
    const homes = this.homes.map(({ id }) => id).filter((id) => id === this.home || this.prices.has(id));
    await Promise.all([...homes.map((id) => this.readPrices(id)), this.readPlans(), this.readSystem()]);
    this.#isRead = true;
    this.#changed("home");
  }

  /** Whether there is something to show: what is looked at first is known, or it was tried in vain. */
  get isReady() {
    return this.#isRead || (this.prices.has(this.home) && this.plans !== null);
  }

  /** Shows another home. */
  async choose(home) {
    this.home = home;
    this.#changed("home");
    if (!this.prices.has(home)) await this.readPrices(home);
  }

  async readPrices(home) {
    await this.#reading(`prices ${home}`, async () => {
      this.prices.set(home, timelineOf(await this.get(`local/v1/prices?home=${encodeURIComponent(home)}`)));
    });
  }

  async readPlans() {
    await this.#reading("plans", async () => {
      this.plans = (await this.get("local/v1/plans")).plans;
    });
  }

  async readSystem() {
    await this.#reading("system", async () => {
      this.system = await this.get("local/v1/system");
    });
  }

  async get(path, headers = {}) {
    return await this.#fetch(path, { headers });
  }

  async post(path, body) {
    return await this.#fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  async #fetch(path, options) {
    let response;
    try {
      const headers = { ...options.headers, "X-Elbro-Page": "1" };
      response = await fetch(at(path), { ...options, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch {
      throw new Refusal({ status: null, code: "no_contact", reason: "no contact" });
    }
    const body = await response.json().catch(() => null);
    if (response.ok && body !== null) return body;
    const retryAfterSec = Number(response.headers.get("retry-after")) || null;
    const { errorCode = "unreadable", reason = `status ${response.status}`, refusal = null } = body ?? {};
    throw new Refusal({ status: response.status, code: errorCode, reason, refusal, retryAfterSec });
  }

  /** One reading; what cannot be read leaves what is known. */
  async #reading(name, read) {
    try {
      await read();
      this.readAt = this.now();
      this.#changed(name);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      if (refusal.status === 401) await this.#signedOut();
      else if (refusal.status === null) this.#lost();
      else this.#soon(name, read, Math.min(60, refusal.retryAfterSec ?? 15) * 1_000);
    }
  }

  #listen() {
    this.#events?.close();
    const events = new EventSource(at("events"));
    this.#events = events;
    const data = (event) => JSON.parse(event.data);
    events.onopen = () => void this.#found();
    events.onerror = () => {
      this.#lost();
      if (events.readyState === EventSource.CLOSED)
        setTimeout(() => events === this.#events && this.#again(), RETRY_MS);
    };
    events.addEventListener("price", (event) => this.#priced(data(event)));
    events.addEventListener("data", (event) => this.#rowsChanged(data(event)));
    for (const type of ["plan", "signal"])
      events.addEventListener(type, () => this.#soon("plans", () => this.readPlans(), GATHER_MS));
    for (const type of ["problem", "quota", "plug"])
      events.addEventListener(type, () =>
        this.#soon("system", () => this.readSystem(), type === "problem" ? GATHER_MS : SYSTEM_GATHER_MS),
      );
  }

  /** After a refusal a browser does not try again by itself: perhaps the session is over, perhaps the daemon is starting. */
  async #again() {
    try {
      await this.readSession();
      if (this.mayRead) this.#listen();
      else await this.#signedOut();
    } catch {
      setTimeout(() => void this.#again(), RETRY_MS);
    }
  }

  async #found() {
    if (this.lostAt === null) return;
    try {
      await this.readSession();
      if (!this.mayRead) return;
      await this.readAll();
      this.lostAt = null;
      this.#changed("contact");
    } catch {
      // Still away; the events come again, and this with them.
    }
  }

  #lost() {
    if (this.lostAt !== null) return;
    this.lostAt = this.now();
    this.#changed("contact");
  }

  async #signedOut() {
    this.#events?.close();
    this.#events = null;
    this.session = { ...this.session, signed_in: false, house: undefined };
    this.#changed("session");
  }

  /** A price that does not hold now by the page's clock tells that the clock of the daemon moved. */
  #priced({ start, end }) {
    const now = this.now();
    if (start && (Date.parse(start) > now || Date.parse(end) <= now))
      this.#soon("session", () => this.readSession(), GATHER_MS);
    else this.#changed("time");
  }

  #rowsChanged({ home, series }) {
    // What is of no home may be of a place: it has prices alone.
    if (home === null && this.currentHome?.address_id === null)
      this.#soon(`prices ${this.home}`, () => this.readPrices(this.home), GATHER_MS);
    if (home && (series === "prices" || series === "forecastPrices"))
      this.#soon(`prices ${home}`, () => this.readPrices(home), GATHER_MS);
    else this.#changed(`rows ${home} ${series}`);
  }

  #soon(name, read, afterMs) {
    clearTimeout(this.#due.get(name));
    this.#due.set(
      name,
      setTimeout(() => void Promise.resolve(read()).catch(() => this.#lost()), afterMs),
    );
  }

  #changed(what) {
    this.dispatchEvent(new CustomEvent("change", { detail: what }));
  }
}

/** Prices as the page uses them: instants as numbers. */
function timelineOf(answer) {
  return {
    currency: answer.currency,
    vatIncluded: answer.vat_included,
    points: answer.prices.map(({ start, end, price, level, estimate, rank, rank_of: rankOf }) => ({
      ...{ start: Date.parse(start), end: Date.parse(end), price, estimate },
      ...{ level: level ?? "unknown", rank, rankOf },
    })),
  };
}
