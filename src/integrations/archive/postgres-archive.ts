/** Client of the archive in PostgreSQL: one connection that creates the tables and writes batches. */
import { Socket } from "node:net";
import type { Client, ClientConfig } from "pg";
import { message, type Text, TextError } from "../../core/language/text.ts";
import type { PlugSnapshot } from "../../core/plugs/plug-snapshot.ts";
import { rowEnd, rowStart } from "../../core/series/series.ts";
import { VERSION } from "../../core/status/version.ts";
import { errorCode } from "../../core/text/error-words.ts";
import { type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import type { ArchiveBatch, ArchiveChunk } from "../../storage/series/archive-backlog.ts";
import { MAKE_HYPERTABLE, migrations } from "./archive-migrations.ts";

export interface ArchiveAccount {
  /** `postgres://user:password@host:port/database?sslmode=…&options=…`. */
  readonly url: string;
  readonly password?: string | undefined;
  /** Certificate authority of the database, PEM. */
  readonly ca?: string | undefined;
}

/** Reason why a batch was not written. Never contains the URL or the password. */
export class ArchiveError extends TextError {}

/** Reason that lasts until the owner changes something. */
export class LastingArchiveError extends ArchiveError {}

/**
 * SQLSTATE codes of lasting refusals: a wrong login (class 28), a missing database (3D000), missing privileges (42501).
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const LASTING_CODE = /^(28...|3D000|42501)$/;

const CLOSED = message("ha.closed");
const CONNECT_TIMEOUT_MS: number = 10 * SECOND_MS;
/** A batch takes 20 ms; a database during a vacuum or a backup is slower. */
const WRITE_TIMEOUT_MS: number = 60 * SECOND_MS;
/** Routers drop idle connections, often after five minutes. */
const KEEP_ALIVE_MS: number = 60 * SECOND_MS;
/** Supported options of the URL. Some hosting providers write `ssl` for `sslmode`. */
const URL_OPTIONS: readonly string[] = ["sslmode", "ssl", "options"];
/** Long, because converting a filled table to a hypertable copies it. */
export const MIGRATE_TIMEOUT_MS: number = 3_600 * SECOND_MS;
/** Key of the advisory lock; any number that other programs are unlikely to use. */
const LOCK = 7_010_220_611;

/** Escapes that `jsonb` rejects: NUL and halves of surrogate pairs. Also matches an escaped backslash, to skip it. */
const UNSTORABLE = /\\(\\|u0000|u[dD][89a-fA-F][0-9a-fA-F]{2})/g;
/** Earliest stored time, 0001-01-01. PostgreSQL begins in 4713 BC, and a response may contain any date. */
const FIRST_MS = -62_135_596_800_000;

/** $1: the series of a batch. Always in the same order, so that two writers of one row cannot deadlock. */
const INSERT_SERIES = `
  insert into elbro.series (account, address, series, resolution, envelope)
  select account, address, series, resolution, envelope
  from jsonb_to_recordset($1::text::jsonb) as given (account text, address text, series text, resolution text, envelope jsonb)
  where not exists (
    select from elbro.series as known
    where (known.account, known.address, known.series, known.resolution) = (given.account, given.address, given.series, given.resolution))
  order by account, address, series, resolution
  on conflict do nothing`;
const UPDATE_SERIES = `
  update elbro.series as known set envelope = given.envelope, latest = coalesce(given.latest, known.latest)
  from jsonb_to_recordset($1::text::jsonb)
    as given (account text, address text, series text, resolution text, envelope jsonb, latest jsonb)
  where (known.account, known.address, known.series, known.resolution) = (given.account, given.address, given.series, given.resolution)
    and (known.envelope, known.latest) is distinct from (given.envelope, coalesce(given.latest, known.latest))`;
/**
 * $1: the series; $2: the rows, each with the index of its series in $1; $3: the source. An identical row is not
 * written again. Of two sources (an account that moved to another shard), the later change wins.
 */
const UPSERT_ROWS = `
  insert into elbro.rows as known (series_id, start_at, end_at, values, changed_at, source)
  select known_series.id, to_timestamp(start_ms / 1000.0), to_timestamp(end_ms / 1000.0), row_values,
    to_timestamp(changed_ms / 1000.0), $3::uuid
  from jsonb_to_recordset($1::text::jsonb) as given (i integer, account text, address text, series text, resolution text)
  join elbro.series as known_series using (account, address, series, resolution)
  join jsonb_to_recordset($2::text::jsonb) as item (i integer, start_ms bigint, end_ms bigint, changed_ms bigint, row_values jsonb)
    using (i)
  order by known_series.id, start_ms
  on conflict (series_id, start_at) do update set
    end_at = excluded.end_at, values = excluded.values, changed_at = excluded.changed_at, source = excluded.source
  where (known.end_at, known.values) is distinct from (excluded.end_at, excluded.values)
    and (known.source = excluded.source
      or coalesce(known.changed_at, '-infinity') <= coalesce(excluded.changed_at, '-infinity'))`;
const UPSERT_SOURCE = `
  insert into elbro.source (id, batch, version, seen_at) values ($1, $2, $3, now())
  on conflict (id) do update set batch = excluded.batch, version = excluded.version, seen_at = excluded.seen_at`;

const UPSERT_PLUG_MONTHS = `
  insert into elbro.plug_months as known (source, plug, name, start_at, energy_kwh, cost, currency)
  select $2::uuid, plug, name, to_timestamp(start / 1000.0), kwh, cost, currency
  from jsonb_to_recordset($1::text::jsonb)
    as given (plug text, name text, start bigint, kwh double precision, cost double precision, currency text)
  on conflict (source, plug, start_at) do update set
    name = excluded.name, energy_kwh = excluded.energy_kwh, cost = excluded.cost, currency = excluded.currency
  where (known.name, known.energy_kwh, known.cost, known.currency)
    is distinct from (excluded.name, excluded.energy_kwh, excluded.cost, excluded.currency)`;

export class PostgresArchive {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.close();
  #isOpen = true;
  /** Rejects the operation in flight. */
  #interrupt: (error: ArchiveError) => void = () => undefined;

  private constructor(client: Client, socket: Socket, signal: AbortSignal) {
    this.#client = client;
    this.#socket = socket;
    this.#signal = signal;
    // Without a listener, a connection that breaks while idle would end the process.
    client.on("error", (error) => this.close(textOf(error))).on("end", () => this.close());
    signal.addEventListener("abort", this.#onAbort);
  }

  /** Connects and creates missing tables. Errors: rejects with an ArchiveError. */
  static async connect(account: ArchiveAccount, signal: AbortSignal): Promise<PostgresArchive> {
    const archive = await PostgresArchive.#open(account, signal);
    await archive.#transaction(() => migrate(archive.#client), MIGRATE_TIMEOUT_MS);
    return archive;
  }

  /** Connects, checks the version of the tables and changes nothing. Errors: rejects with an ArchiveError. */
  static async check(account: ArchiveAccount, signal: AbortSignal): Promise<PostgresArchive> {
    const archive = await PostgresArchive.#open(account, signal);
    await archive.#inTime(() => versionIn(archive.#client), WRITE_TIMEOUT_MS);
    return archive;
  }

  static async #open(account: ArchiveAccount, signal: AbortSignal): Promise<PostgresArchive> {
    const { default: pg } = await import("pg");
    const socket = new Socket();
    const client = new pg.Client({ ...settingsOf(account), stream: () => socket });
    const archive = new PostgresArchive(client, socket, signal);
    if (signal.aborted) archive.close();
    await archive.#inTime(() => archive.#client.connect(), CONNECT_TIMEOUT_MS);
    return archive;
  }

  /** Returns false after the connection was closed. A new one may find another state of the database. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Returns the last stored batch of a source; 0 before the first. Errors: rejects with an ArchiveError. */
  async lastBatch(source: string): Promise<number> {
    const query = () => this.#client.query("select batch from elbro.source where id = $1", [source]);
    const { rows } = await this.#inTime(query, WRITE_TIMEOUT_MS);
    return Number(rows[0]?.batch ?? 0);
  }

  /** Writes a batch atomically. Returns the number of changed rows. Errors: rejects with an ArchiveError. */
  write(source: string, { number, chunks }: ArchiveBatch): Promise<number> {
    const client = this.#client;
    const [series, rows] = textsOf(chunks);
    return this.#transaction(async () => {
      await client.query(INSERT_SERIES, [series]);
      await client.query(UPDATE_SERIES, [series]);
      const { rowCount } = await client.query(UPSERT_ROWS, [series, rows, source]);
      await client.query(UPSERT_SOURCE, [source, number, VERSION]);
      return rowCount ?? 0;
    }, WRITE_TIMEOUT_MS);
  }

  async writePlugMonths(source: string, plugs: readonly PlugSnapshot[]): Promise<void> {
    const months = plugs.flatMap(({ id, name, measured }) =>
      measured ? [measured.month, measured.monthBefore].map((month) => ({ plug: id, name, ...month })) : [],
    );
    if (months.length === 0) return;
    const texts = storableText(months.map((month) => JSON.stringify(month)));
    await this.#inTime(() => this.#client.query(UPSERT_PLUG_MONTHS, [texts, source]), WRITE_TIMEOUT_MS);
  }

  /**
   * Closes the connection at once. An open transaction is not committed. Destroys the socket, because the driver's
   * `end()` waits for a server that does not respond, and a `connect()` that it interrupts never settles.
   */
  close(reason: Text = CLOSED): void {
    this.#isOpen = false;
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#interrupt(new ArchiveError(reason));
    this.#socket.destroy();
  }

  /** Runs statements in a transaction. An error closes the connection, which rolls the transaction back. */
  #transaction<Result>(statements: () => Promise<Result>, withinMs: number): Promise<Result> {
    const all = async () => {
      await this.#client.query("begin");
      const result = await statements();
      await this.#client.query("commit");
      return result;
    };
    return this.#inTime(all, withinMs);
  }

  async #inTime<Result>(action: () => Promise<Result>, withinMs: number): Promise<Result> {
    if (!this.#isOpen) throw new ArchiveError(CLOSED);
    const interrupted = Promise.withResolvers<never>();
    this.#interrupt = interrupted.reject;
    const timeout = setTimeout(() => this.close(`no answer within ${withinMs / SECOND_MS} s`), withinMs);
    try {
      return await Promise.race([action(), interrupted.promise]);
    } catch (error) {
      this.close();
      if (error instanceof LastingArchiveError) throw error;
      throw new (LASTING_CODE.test(errorCode(error)) ? LastingArchiveError : ArchiveError)(textOf(error));
    } finally {
      clearTimeout(timeout);
    }
  }
}

/** Returns the settings of the driver. Errors: throws an ArchiveError for an unknown option of the URL. */
function settingsOf({ url, password, ca }: ArchiveAccount): ClientConfig {
  const { hostname, port, username, password: inUrl, pathname, searchParams } = new URL(url);
  const unknown = [...searchParams.keys()].find((name) => !URL_OPTIONS.includes(name));
  if (unknown !== undefined) throw new LastingArchiveError(`archive.url has the unknown option ${unknown}`);
  return {
    host: decoded(hostname).replace(/^\[(.*)\]$/, "$1") || undefined,
    port: Number(port) || undefined,
    user: decoded(username) || undefined,
    password: password ?? (decoded(inUrl) || undefined),
    database: decoded(pathname.slice(1)) || undefined,
    ssl: tlsOf(searchParams.get("sslmode") ?? searchParams.get("ssl"), ca),
    options: searchParams.get("options") ?? undefined,
    application_name: "elbro",
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** Returns the decoded text; the text itself if it is not URL-encoded, such as a password with a percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns TLS options for `sslmode` as in PostgreSQL's documentation. The driver would verify even with `require`. */
function tlsOf(mode: string | null, ca: string | undefined): ClientConfig["ssl"] {
  if (ca !== undefined) return { ca };
  if (mode === null || mode === "disable" || mode === "false") return false;
  return mode === "require" || mode === "prefer" || mode === "allow" ? { rejectUnauthorized: false } : true;
}

/** Returns the version of the tables; null without tables. Errors: rejects if a newer elbro created them. */
async function versionIn(client: Client): Promise<number | null> {
  const { rows: found } = await client.query("select to_regclass('elbro.migration') is not null as made");
  if (found[0]?.made !== true) return null;
  const { rows: newest } = await client.query("select coalesce(max(version), 0) as version from elbro.migration");
  const version = Number(newest[0]?.version);
  if (version > migrations.length)
    throw new LastingArchiveError(
      `its tables were created by a newer elbro (version ${version}; this elbro supports up to ${migrations.length})`,
    );
  return version;
}

/** Upgrades the tables to the newest version. A lock admits one process at a time. */
async function migrate(client: Client): Promise<void> {
  await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
  let version = await versionIn(client);
  if (version === null) {
    const { rows: schema } = await client.query("select to_regnamespace('elbro') is not null as made");
    // `create schema if not exists` needs the privilege to create even if the schema exists.
    if (schema[0]?.made !== true) await client.query("create schema elbro");
    await client.query("create table elbro.migration (version integer primary key, made_at timestamptz not null)");
    version = 0;
  }
  for (const [i, migration] of migrations.entries()) {
    if (i < version) continue;
    await client.query(migration);
    await client.query("insert into elbro.migration (version, made_at) values ($1, now())", [i + 1]);
  }
  const { rowCount: timescale } = await client.query("select from pg_extension where extname = 'timescaledb'");
  if (timescale) await client.query(MAKE_HYPERTABLE);
}

/** Returns the series of the chunks, and the rows with the index of their series in that list. Shape: JSON. */
function textsOf(chunks: readonly ArchiveChunk[]): [series: string, rows: string] {
  const series = new Map<string, string>();
  const rows: string[] = [];
  for (const { envelope, latest, changedAt, ...chunk } of chunks) {
    const { account, address, resolution } = chunk;
    const name = JSON.stringify([account, address, chunk.series, resolution]);
    const i = [...series.keys()].indexOf(name);
    const place = i < 0 ? series.size : i;
    const key = JSON.stringify({ i: place, account, address, series: chunk.series, resolution });
    series.set(name, `${key.slice(0, -1)},"envelope":${envelope},"latest":${latest}}`);
    for (const row of chunk.rows) {
      const start = storable(rowStart(row));
      if (start === null) continue;
      const end = storable(rowEnd(row));
      rows.push(
        `{"i":${place},"start_ms":${start},"end_ms":${end},"changed_ms":${changedAt},"row_values":${JSON.stringify(row)}}`,
      );
    }
  }
  return [storableText([...series.values()]), storableText(rows)];
}

function storable(at: EpochMs | null): EpochMs | null {
  return at !== null && at >= FIRST_MS ? at : null;
}

function storableText(items: readonly string[]): string {
  return `[${items.join(",")}]`.replace(UNSTORABLE, (found, what) => (what === "\\" ? found : "\\ufffd"));
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // If a host name has several addresses, each has its own error, and the aggregate has no text.
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  return String(inner?.message || inner?.code || error.name);
}
