/** The archive in PostgreSQL: one connection, on which tables are made and batches are written. */
import type { Sql, TransactionSql } from "postgres";
import { rowEnd, rowStart } from "../../core/series/series.ts";
import { VERSION } from "../../core/status/version.ts";
import { type EpochMs, SECOND_MS } from "../../core/time/interval.ts";
import type { ArchiveBatch, ArchiveChunk } from "../../storage/archive-backlog.ts";
import { MAKE_HYPERTABLE, migrations } from "./archive-migrations.ts";

/** Where the database is, and who writes to it. */
export interface ArchiveAccount {
  /** `postgres://user:password@host:port/database?sslmode=…`. */
  readonly url: string;
  readonly password?: string | undefined;
  /** Certificate authority of the database, PEM. */
  readonly ca?: string | undefined;
}

/** Why a batch was not written. Never holds the URL or the password. */
export class ArchiveError extends Error {}

const CONNECT_TIMEOUT_MS: number = 10 * SECOND_MS;
/** A batch takes 20 ms; a database that is being vacuumed or backed up is slower. */
const WRITE_TIMEOUT_MS: number = 60 * SECOND_MS;
/** Turning a filled table into a hypertable copies it. */
export const MIGRATE_TIMEOUT_MS: number = 3_600 * SECOND_MS;
/** Any number that no other program is likely to lock. */
const LOCK = 7_010_220_611;

/** What `jsonb` takes no text with: NUL and halves of surrogate pairs. An escaped backslash is passed over. */
const UNSTORABLE = /\\(\\|u0000|u[dD][89a-fA-F][0-9a-fA-F]{2})/g;
/** PostgreSQL begins in 4713 BC; a date of an answer may be any. 0001-01-01. */
const FIRST_MS = -62_135_596_800_000;

/** $1: the series of a batch. Always in the same order, so that two writers of one row never wait for each other. */
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
 * $1: the series; $2: the rows, with the place of their series in $1; $3: the source. What is there already is not
 * written again. Of two sources (an account that moved to another shard) the later change stays.
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

export class PostgresArchive {
  readonly #sql: Sql;
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.close();
  #isOpen = true;

  private constructor(connect: (onclose: () => void) => Sql, signal: AbortSignal) {
    this.#sql = connect(() => {
      this.#isOpen = false;
    });
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort);
  }

  /** Connects and makes the tables that are missing. Errors: rejects with an ArchiveError. */
  static connect(account: ArchiveAccount, signal: AbortSignal): Promise<PostgresArchive> {
    return PostgresArchive.#open(account, signal, (sql) => sql.begin(migrate), MIGRATE_TIMEOUT_MS);
  }

  /** Connects and changes nothing. Errors: rejects with an ArchiveError. */
  static check(account: ArchiveAccount, signal: AbortSignal): Promise<PostgresArchive> {
    return PostgresArchive.#open(account, signal, (sql) => sql.unsafe("select 1"), WRITE_TIMEOUT_MS);
  }

  static async #open(
    account: ArchiveAccount,
    signal: AbortSignal,
    first: (sql: Sql) => Promise<unknown>,
    withinMs: number,
  ): Promise<PostgresArchive> {
    const archive = new PostgresArchive(await connector(account), signal);
    if (signal.aborted) archive.close();
    try {
      await archive.#inTime(first(archive.#sql), withinMs);
      return archive;
    } catch (error) {
      archive.close();
      throw error;
    }
  }

  /** Whether this is still the connection that was made; a new one may be to another state of the database. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The last batch of a source that is stored here; 0 if there is none. Errors: rejects with an ArchiveError. */
  async lastBatch(source: string): Promise<number> {
    const query = this.#sql.unsafe("select batch from elbro.source where id = $1", [source]);
    const [found] = await this.#inTime(query, WRITE_TIMEOUT_MS);
    return Number(found?.batch ?? 0);
  }

  /** Writes a batch, all of it or nothing. Returns how many rows it changed. Errors: rejects with an ArchiveError. */
  write(source: string, { number, chunks }: ArchiveBatch): Promise<number> {
    const [series, rows] = textsOf(chunks);
    const writing = this.#sql.begin(async (transaction) => {
      const [, , written] = await Promise.all([
        transaction.unsafe(INSERT_SERIES, [series]),
        transaction.unsafe(UPDATE_SERIES, [series]),
        transaction.unsafe(UPSERT_ROWS, [series, rows, source]),
        transaction.unsafe(UPSERT_SOURCE, [source, number, VERSION]),
      ]);
      return written.count;
    });
    return this.#inTime(writing, WRITE_TIMEOUT_MS);
  }

  /** Closes the connection at once: what is not committed is not written. */
  close(): void {
    this.#isOpen = false;
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#sql.end({ timeout: 0 }).catch(() => undefined);
  }

  async #inTime<Result>(result: Promise<Result>, withinMs: number): Promise<Result> {
    let isLate = false;
    const timeout = setTimeout(() => {
      isLate = true;
      this.close();
    }, withinMs);
    try {
      return await result;
    } catch (error) {
      throw new ArchiveError(isLate ? `no answer within ${withinMs / SECOND_MS} s` : textOf(error));
    } finally {
      clearTimeout(timeout);
    }
  }
}

/** Loads the driver. Returns how to connect; `onclose` is called when a connection ends. */
async function connector({ url, password, ca }: ArchiveAccount): Promise<(onclose: () => void) => Sql> {
  const { default: postgres } = await import("postgres");
  return (onclose) =>
    postgres(url, {
      ...{ max: 1, max_lifetime: null, connect_timeout: CONNECT_TIMEOUT_MS / SECOND_MS },
      // Statements without a name and no query of types: a pool such as PgBouncer may be in front.
      ...{ prepare: false, fetch_types: false },
      ...(password === undefined ? {} : { password }),
      ...(ca === undefined ? {} : { ssl: { ca } }),
      connection: { application_name: "elbro", TimeZone: "UTC" },
      onnotice: () => undefined,
      onclose,
    });
}

/** Brings the tables to the newest version, one process at a time. */
async function migrate(transaction: TransactionSql): Promise<void> {
  await transaction.unsafe("select pg_advisory_xact_lock($1)", [LOCK]);
  const [found] = await transaction.unsafe("select to_regclass('elbro.migration') is not null as made");
  if (found?.made !== true) {
    const [schema] = await transaction.unsafe("select to_regnamespace('elbro') is not null as made");
    // The right to make one is asked even where `if not exists` would do nothing.
    if (schema?.made !== true) await transaction.unsafe("create schema elbro");
    await transaction.unsafe(
      "create table elbro.migration (version integer primary key, made_at timestamptz not null)",
    );
  }
  const [newest] = await transaction.unsafe("select coalesce(max(version), 0) as version from elbro.migration");
  const version = Number(newest?.version);
  if (version > migrations.length)
    throw new Error(`its tables are of a newer elbro (version ${version}, this one knows ${migrations.length})`);
  for (const [i, migration] of migrations.entries()) {
    if (i < version) continue;
    await transaction.unsafe(migration);
    await transaction.unsafe("insert into elbro.migration (version, made_at) values ($1, now())", [i + 1]);
  }
  const [timescale] = await transaction.unsafe("select from pg_extension where extname = 'timescaledb'");
  if (timescale) await transaction.unsafe(MAKE_HYPERTABLE);
}

/** The series of some chunks, and their rows with the place of their series in that list. Shape: JSON. */
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
  // Where a name has several addresses, each has an error of its own, and the whole has no text.
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  return String(inner?.message || inner?.code || error.name);
}
