/**
 * Copies the rows of one account to many accounts in the same database, under their names and addresses. The daemon
 * would store the same, but it takes 15 min for 1,000 homes with the simulator.
 */
import type { DatabaseSync } from "node:sqlite";
import { openDatabase, transaction, withDigest } from "../../../src/storage/database.ts";
import { SIGN_ATTEMPTS } from "../../../src/storage/request-log.ts";
import { chunkDigest, deflateText, inflateTexts } from "../../../src/storage/series/chunk-text.ts";

/** Strings of an account that occur in stored rows. */
export type CopiedAccount = { readonly name: string; readonly addressId: string; readonly label: string };

/** Number of values that the series id can take in a chunk's key; see migrations.ts. */
const SERIES_BITS = 2 ** 20;

export function copyAccounts(path: string, from: CopiedAccount, to: readonly CopiedAccount[]): void {
  const database = withDigest(openDatabase(path));
  const series = database.prepare("select id, name, envelope from series where name like ? || '/%'").all(from.name);
  const chunks = series.map(({ id }) => readAll(database, "select * from chunk where series_id = ? order by key", id));
  const attempts = readAll(database, "select * from attempt where account = ?", from.name);
  const limits = database.prepare("select value from setting where name = ?").get(`limits/${from.name}`);
  const addSeries = database.prepare("insert into series (name, envelope) values (?, ?)");
  const sign = database.prepare("update series set digest = digest(id, name, envelope) where id = ?");
  const addChunk = database.prepare(
    "insert into chunk (key, complete, estimated, digest, rows) values (?, ?, ?, ?, ?)",
  );
  const addAttempt = database.prepare(
    `insert into attempt (account, share, at_ms, boot, monotonic_ms, server_ms, series_id, start_ms, end_ms, status,
       request_id, answered_ms) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addSetting = database.prepare("insert into setting (name, value, digest) values (?1, ?2, digest(?1, ?2))");
  transaction(database, () => {
    for (const account of to) {
      const renamed = (text: string) =>
        text
          .replaceAll(from.addressId, account.addressId)
          .replace(`"label":"${from.label}"`, `"label":"${account.label}"`);
      const ids = new Map<unknown, number>();
      for (const [i, { id, name, envelope }] of series.entries()) {
        const own = renamed(String(name)).replace(`${from.name}/`, `${account.name}/`);
        const newId = Number(addSeries.run(own, envelope === null ? null : renamed(String(envelope))).lastInsertRowid);
        sign.run(newId);
        ids.set(id, newId);
        for (const { key, complete, estimated, rows } of chunks[i] ?? []) {
          const start = Math.floor(Number(key) / SERIES_BITS);
          const newKey = start * SERIES_BITS + newId;
          const state = { complete: complete === 1, estimated: estimated === 1 };
          const isList = String(name).includes("/addresses/");
          const bytes = rows as Uint8Array;
          const own = isList ? deflateText(renamed(inflateTexts([bytes]).join(""))) : bytes;
          addChunk.run(newKey, Number(complete), Number(estimated), chunkDigest(newKey, state, own), own);
        }
      }
      for (const attempt of attempts) {
        const { share, at_ms, boot, monotonic_ms, server_ms, series_id, start_ms, end_ms } = attempt;
        const { status, request_id, answered_ms } = attempt;
        const id = ids.get(series_id) ?? null;
        const times = [at_ms, boot, monotonic_ms, server_ms] as const;
        addAttempt.run(
          account.name,
          share ?? null,
          ...times.map((value) => value ?? null),
          id,
          start_ms ?? null,
          end_ms ?? null,
          status ?? null,
          request_id ?? null,
          answered_ms ?? null,
        );
      }
      database.exec(SIGN_ATTEMPTS);
      if (limits) addSetting.run(`limits/${account.name}`, limits.value ?? null);
    }
  });
  database.close();
}

function readAll(database: DatabaseSync, sql: string, value: unknown) {
  return database.prepare(sql).all(value as string);
}
