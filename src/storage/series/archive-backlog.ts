/**
 * Chunks that the archive has not confirmed. Triggers record the key of each changed chunk in the transaction of the
 * change. Chunks stored before are sent once, in the order of their keys. No data is stored twice.
 */
import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { readJson } from "../../core/runtime/key-value.ts";
import { partsOfSeriesName, type Row, rowStart } from "../../core/series/series.ts";
import type { EpochMs } from "../../core/time/interval.ts";
import { transaction, withDigest } from "../database.ts";
import type { KeyValueStore } from "../key-value-store.ts";
import { ARCHIVE_SCHEMA } from "../migrations.ts";
import type { WriteGuard } from "../write-guard.ts";
import { ChunkTable } from "./chunk-table.ts";
import { rowsOfText } from "./chunk-text.ts";
import { mergeByStart } from "./row-batches.ts";

export interface ArchiveChunk {
  readonly account: string;
  readonly address: string;
  readonly series: string;
  readonly resolution: string;
  /** JSON of the response's other fields: currency, VAT, zone. */
  readonly envelope: string;
  /** JSON of all rows of a `latest` series in their original order; null for other series. */
  readonly latest: string | null;
  /** Time of storage by the system clock; null if unknown. */
  readonly changedAt: EpochMs | null;
  /** Rows that have a start. Shape: ascending, each start once. */
  readonly rows: readonly Row[];
}

export interface ArchiveBatch {
  /** Batch number of this data directory; the archive stores it with the chunks. */
  readonly number: number;
  readonly chunks: readonly ArchiveChunk[];
  /** Entries to confirm; `changedMs` shows whether a chunk has changed again since it was read. */
  readonly entries: readonly { readonly key: number; readonly changedMs: EpochMs | null }[];
}

const storedMark = z.object({
  /** Identifies this data directory in the archive. */
  source: z.uuid(),
  /** Last batch that the archive confirmed. */
  batch: z.int().check(z.nonnegative()),
  /** Last chunk key of the initial transfer; null when that is complete. */
  walked: z.nullable(z.int()),
});
type Mark = z.infer<typeof storedMark>;

/** Maximum length of the rows in one batch: a few milliseconds of work. A longer chunk is sent alone. */
const BATCH_LENGTH = 64 * 1024;
const MAX_CHUNKS = 100;
/** Maximum counts, because counting reads every entry. Chunks are larger than entries: this many take 10 ms. */
const MAX_COUNTED = 100_000;
const MAX_COUNTED_CHUNKS = 10_000;
const SETTING = "archive";

/** Drops triggers and backlog when no archive is configured. An archive configured later starts from the beginning. */
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
  #mark: Mark;

  private constructor(
    database: DatabaseSync,
    settings: Pick<KeyValueStore, "read" | "write">,
    writing: Pick<WriteGuard, "attempt">,
    mark: Mark,
  ) {
    this.#database = withDigest(database);
    this.#settings = settings;
    this.#writing = writing;
    // The series store handles a damaged chunk when it reads it. The chunk is then requested again, which is a change.
    this.#chunks = new ChunkTable(database, () => undefined);
    this.#mark = mark;
  }

  /**
   * Opens the backlog and creates it on first use. Returns null if it cannot be written, as then no other data can be
   * stored either. An unreadable mark is reported as damaged, and everything is sent again under a new source id.
   */
  static open(
    database: DatabaseSync,
    settings: Pick<KeyValueStore, "read" | "write">,
    writing: Pick<WriteGuard, "attempt" | "damaged">,
  ): ArchiveBacklog | null {
    const isNew = !hasBacklog(database);
    const known = isNew ? null : readJson(settings, SETTING, storedMark);
    const mark = known ?? { source: randomUUID(), batch: 0, walked: Number.MIN_SAFE_INTEGER };
    if (!known) {
      if (!isNew && settings.read(SETTING) !== null) writing.damaged(`the setting ${SETTING}`, () => undefined);
      const create = () => {
        if (isNew) database.exec(ARCHIVE_SCHEMA);
        settings.write(SETTING, JSON.stringify(mark));
      };
      if (!writing.attempt(() => transaction(database, create))) return null;
    }
    return new ArchiveBacklog(database, settings, writing, mark);
  }

  get source(): string {
    return this.#mark.source;
  }

  /** Last batch that the archive confirmed; 0 before the first. */
  get confirmedBatch(): number {
    return this.#mark.batch;
  }

  /** Returns the next batch, changed chunks first; null if the backlog is empty. */
  next(): ArchiveBatch | null {
    const { batch, walked } = this.#mark;
    const changed = this.#database
      .prepare("select key + 0.0 as key, changed_ms + 0.0 as changedMs from archive_backlog order by key limit ?")
      .all(MAX_CHUNKS) as unknown as ArchiveBatch["entries"];
    if (changed.length > 0) return this.#batchOf(batch + 1, changed);
    if (walked === null) return null;
    const unwalked = this.#database
      .prepare("select key + 0.0 as key, null as changedMs from chunk where key > ? order by key limit ?")
      .all(walked, MAX_CHUNKS) as unknown as ArchiveBatch["entries"];
    if (unwalked.length > 0) return this.#batchOf(batch + 1, unwalked);
    this.#writeMark({ ...this.#mark, walked: null });
    return null;
  }

  /** Records that the archive has stored a batch, except chunks changed since. Returns true if that was written. */
  confirm({ number, entries }: ArchiveBatch): boolean {
    const noted = this.#writing.attempt(() =>
      transaction(this.#database, () => {
        const walked = entries.findLast(({ changedMs }) => changedMs === null)?.key ?? this.#mark.walked;
        const remove = this.#database.prepare("delete from archive_backlog where key = ? and changed_ms = ?");
        for (const { key, changedMs } of entries) if (changedMs !== null) remove.run(key, changedMs);
        this.#writeMark({ ...this.#mark, batch: number, walked });
      }),
    );
    return noted !== null;
  }

  /** Sends everything again, with numbers after `batch`, because the archive is a new or restored one. */
  startOver(batch: number): void {
    this.#writeMark({ ...this.#mark, batch, walked: Number.MIN_SAFE_INTEGER });
  }

  /** Continues after batch number `batch`, which the archive has although it is not recorded here. */
  continueAfter(batch: number): void {
    this.#writeMark({ ...this.#mark, batch });
  }

  /** Returns the number of chunks that are not confirmed: at most 100,000 changed and 10,000 first ones. */
  count(): number {
    const { walked } = this.#mark;
    const changed = "select count(*) as n from (select 1 from archive_backlog where key <= ? limit ?)";
    const unwalked = "select count(*) as n from (select 1 from chunk where key > ? limit ?)";
    const upTo = walked ?? Number.MAX_SAFE_INTEGER;
    return (
      Number(this.#database.prepare(changed).get(upTo, MAX_COUNTED)?.n) +
      (walked === null ? 0 : Number(this.#database.prepare(unwalked).get(walked, MAX_COUNTED_CHUNKS)?.n))
    );
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

  /** Returns a chunk for the archive. Null if its series is damaged, which is then requested again under a new id. */
  #chunkOf(seriesId: number, text: string, changedAt: EpochMs | null): ArchiveChunk | null {
    const found = this.#database
      .prepare("select name, envelope from series where id = ? and digest is digest(id, name, envelope)")
      .get(seriesId);
    const [account, address, series, resolution, other] = partsOfSeriesName(String(found?.name));
    if (account === undefined || address === undefined || series === undefined || resolution === undefined) return null;
    // A series of another service has a fifth part: see data-source.ts.
    if (other !== undefined) return null;
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
