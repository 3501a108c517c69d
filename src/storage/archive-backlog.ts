/**
 * The chunks that the archive has not confirmed yet. The database itself is the backlog: triggers note the key of each
 * chunk that changes, in the transaction of the change; what was stored before is walked through once, in the order of
 * the keys. Nothing is stored twice.
 */
import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { partsOfSeriesName, type Row, rowStart } from "../core/series/series.ts";
import type { EpochMs } from "../core/time/interval.ts";
import { ChunkTable } from "./chunk-table.ts";
import { rowsOfText } from "./chunk-text.ts";
import { transaction, withDigest } from "./database.ts";
import type { KeyValueStore } from "./key-value-store.ts";
import { mergeByStart } from "./row-batches.ts";
import type { WriteGuard } from "./write-guard.ts";

/** A chunk on its way to the archive. */
export interface ArchiveChunk {
  readonly account: string;
  readonly address: string;
  readonly series: string;
  readonly resolution: string;
  /** JSON of what came with the rows: currency, VAT, zone. */
  readonly envelope: string;
  /** All rows of a `latest` series as they came, JSON; null for any other. */
  readonly latest: string | null;
  /** When it was stored; null where that is not known. By the machine's clock. */
  readonly changedAt: EpochMs | null;
  /** The rows that have a start. Shape: ascending, each start once. */
  readonly rows: readonly Row[];
}

/** What is sent and confirmed in one piece. */
export interface ArchiveBatch {
  /** Counts the batches of this data directory; the archive keeps it with them. */
  readonly number: number;
  readonly chunks: readonly ArchiveChunk[];
  /** What is confirmed with it; `changedMs` tells whether a chunk has changed again since. */
  readonly entries: readonly { readonly key: number; readonly changedMs: EpochMs | null }[];
}

interface Mark {
  /** Names this data directory in the archive. */
  readonly source: string;
  /** The last batch that the archive confirmed. */
  readonly batch: number;
  /** Up to which key everything was sent once; null when all was. */
  readonly walked: number | null;
}

/** Text of the rows of one batch: read and sent in a few milliseconds. A chunk that is longer goes alone. */
const BATCH_LENGTH = 64 * 1024;
const MAX_CHUNKS = 100;
/** Counting reads every entry. */
const MAX_COUNTED = 100_000;
const SETTING = "archive";

/**
 * Times are SQLite's own: a function of this program would be missing where another opens the file. A chunk that changes
 * twice in a millisecond has two times.
 */
const NOTE = `insert into archive_backlog (key, changed_ms) values (new.key, cast(unixepoch('subsec') * 1000 as integer))
  on conflict (key) do update set changed_ms = max(excluded.changed_ms, changed_ms + 1);`;
const BACKLOG_TABLES = `
create table archive_backlog (key integer primary key, changed_ms integer not null) strict;
create trigger archive_inserted after insert on chunk begin ${NOTE} end;
create trigger archive_updated after update on chunk begin ${NOTE} end;
`;

/** Ends the noting of changes where nothing is archived any more. An archive that is configured later starts from the beginning. */
export function forgetBacklog(database: DatabaseSync, writing: Pick<WriteGuard, "attempt">): void {
  if (!hasBacklog(database)) return;
  const tables = "drop trigger archive_inserted; drop trigger archive_updated; drop table archive_backlog";
  writing.attempt(() => transaction(database, () => database.exec(tables)));
}

function hasBacklog(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'archive_backlog'").get() !== undefined;
}

export class ArchiveBacklog {
  readonly #database: DatabaseSync;
  readonly #settings: Pick<KeyValueStore, "read" | "write">;
  readonly #writing: Pick<WriteGuard, "attempt">;
  readonly #chunks: ChunkTable;
  readonly #changed: StatementSync;
  readonly #unwalked: StatementSync;
  readonly #series: StatementSync;
  readonly #confirm: StatementSync;
  #mark: Mark;

  private constructor(
    database: DatabaseSync,
    settings: Pick<KeyValueStore, "read" | "write">,
    writing: Pick<WriteGuard, "attempt">,
  ) {
    this.#database = withDigest(database);
    this.#settings = settings;
    this.#writing = writing;
    // The series store finds a damaged chunk when it reads it; it is asked again, and is then a change.
    this.#chunks = new ChunkTable(database, () => undefined);
    this.#changed = database.prepare(
      "select key + 0.0 as key, changed_ms + 0.0 as at from archive_backlog order by key limit ?",
    );
    this.#unwalked = database.prepare("select key + 0.0 as key from chunk where key > ? order by key limit ?");
    this.#series = database.prepare(
      "select name, envelope from series where id = ? and digest is digest(id, name, envelope)",
    );
    this.#confirm = database.prepare("delete from archive_backlog where key = ? and changed_ms = ?");
    this.#mark = markIn(settings.read(SETTING));
  }

  /** Opens the backlog, made on first use. Null where it cannot be written: nothing else is then stored either. */
  static open(
    database: DatabaseSync,
    settings: Pick<KeyValueStore, "read" | "write">,
    writing: Pick<WriteGuard, "attempt">,
  ): ArchiveBacklog | null {
    if (!hasBacklog(database)) {
      const create = () => {
        database.exec(BACKLOG_TABLES);
        settings.write(SETTING, JSON.stringify(markIn(null)));
      };
      if (!writing.attempt(() => transaction(database, create))) return null;
    }
    return new ArchiveBacklog(database, settings, writing);
  }

  /** Names this data directory in the archive. */
  get source(): string {
    return this.#mark.source;
  }

  /** The last batch that the archive confirmed; 0 before the first. */
  get confirmedBatch(): number {
    return this.#mark.batch;
  }

  /** What waits: changes first, then what was stored before there was an archive. Null where nothing waits. */
  next(): ArchiveBatch | null {
    const { batch, walked } = this.#mark;
    const changed = this.#changed.all(MAX_CHUNKS).map(({ key, at }) => ({ key: Number(key), changedMs: Number(at) }));
    if (changed.length > 0) return this.#batchOf(batch + 1, changed);
    if (walked === null) return null;
    const unwalked = this.#unwalked.all(walked, MAX_CHUNKS).map(({ key }) => ({ key: Number(key), changedMs: null }));
    if (unwalked.length > 0) return this.#batchOf(batch + 1, unwalked);
    this.#writeMark({ ...this.#mark, walked: null });
    return null;
  }

  /** Notes that the archive holds a batch. What has changed since it was read waits on. Returns whether it is noted. */
  confirm({ number, entries }: ArchiveBatch): boolean {
    const noted = this.#writing.attempt(() =>
      transaction(this.#database, () => {
        const walked = entries.findLast(({ changedMs }) => changedMs === null)?.key ?? this.#mark.walked;
        for (const { key, changedMs } of entries) if (changedMs !== null) this.#confirm.run(key, changedMs);
        this.#writeMark({ ...this.#mark, batch: number, walked });
      }),
    );
    return noted !== null;
  }

  /** Everything is sent again, after batches that this archive has already: it is another one, or was restored. */
  startOver(batch: number): void {
    this.#writeMark({ ...this.#mark, batch, walked: Number.MIN_SAFE_INTEGER });
  }

  /** The archive has batches that are not noted here. */
  continueAfter(batch: number): void {
    this.#writeMark({ ...this.#mark, batch });
  }

  /** Chunks that have changed and are not confirmed, counted up to 100,000. */
  count(): number {
    const sql = "select count(*) as n from (select 1 from archive_backlog limit ?)";
    return Number(this.#database.prepare(sql).get(MAX_COUNTED)?.n);
  }

  #batchOf(number: number, entries: ArchiveBatch["entries"]): ArchiveBatch {
    const chunks: ArchiveChunk[] = [];
    const changedAt = new Map(entries.map(({ key, changedMs }) => [key, changedMs]));
    let length = 0;
    for (const { key, seriesId, text } of this.#chunks.withKeys([...changedAt.keys()])) {
      length += text.length;
      if (length > BATCH_LENGTH && chunks.length > 0) {
        const end = entries.findIndex((entry) => entry.key === key);
        return { number, chunks, entries: entries.slice(0, end) };
      }
      const chunk = this.#chunkOf(seriesId, text, changedAt.get(key) ?? null);
      if (chunk) chunks.push(chunk);
    }
    return { number, chunks, entries };
  }

  /** Null for a chunk whose series is damaged: all of it is asked again under a new id. */
  #chunkOf(seriesId: number, text: string, changedAt: EpochMs | null): ArchiveChunk | null {
    const found = this.#series.get(seriesId);
    const [account, address, series, resolution] = partsOfSeriesName(String(found?.name));
    if (account === undefined || address === undefined || series === undefined || resolution === undefined) return null;
    const envelope = String(found?.envelope ?? "{}");
    const latest = resolution === "latest" ? `[${text}]` : null;
    const rows = mergeByStart(
      [],
      rowsOfText(text).filter((row) => rowStart(row) !== null),
    );
    return { account, address, series, resolution, envelope, latest, changedAt, rows };
  }

  #writeMark(mark: Mark): void {
    this.#settings.write(SETTING, JSON.stringify(mark));
    this.#mark = mark;
  }
}

/** A mark that cannot be read is as none: everything is sent again, which changes nothing that is there. */
function markIn(text: string | null): Mark {
  return text === null
    ? { source: randomUUID(), batch: 0, walked: Number.MIN_SAFE_INTEGER }
    : (JSON.parse(text) as Mark);
}
