/**
 * Files of `accounts_dir`, one per account.
 * An invalid file is rejected. The other files, and the last valid version of this one, stay in use.
 */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Message, message } from "../../core/language/text.ts";
import { isOwn, shardOfConfig } from "../../core/sharding/shard.ts";
import { entryId } from "../entry-list.ts";
import { deviceOf } from "../schema/plug-schema.ts";
import type { AccountEntry, AccountFilesFound, Config } from "../schema/schema.ts";
import { expecting, slug } from "../schema/values.ts";
import { readBounded, whyUnread } from "./bounded-file.ts";
import type { ConfigReading } from "./load.ts";
import { type ConfigMistake, joined, mistakeAt, pathText } from "./mistake.ts";
import { readYaml } from "./yaml-text.ts";

/** Longest account file in bytes. An account with its homes, plans and plugs takes a few kB. */
const MAX_ACCOUNT_BYTES = 64 * 1024;
/** Maximum number of files. One broker cannot serve the homes of more accounts; the folder is listed as a whole. */
const MAX_FILES = 200_000;

/** A file as last read. */
interface KnownFile {
  /** Changes with the file and with its secret files; null if the secret files were not known before it was read. */
  readonly stamp: string | null;
  readonly account: AccountEntry | null;
  readonly mistakes: readonly ConfigMistake[];
  readonly secretFiles: readonly string[];
}

/** Error for a folder that cannot be read. */
export class AccountsDirError extends Error {}

/** Reads the folder, and after that only its changed files. */
export class AccountFiles {
  readonly #readAccount: (text: string) => ConfigReading<AccountEntry>;
  /** Files by name. Bounded by MAX_FILES. */
  #known = new Map<string, KnownFile>();
  /** Accounts in use, by name of the file. */
  #used: ReadonlyMap<string, AccountEntry> = new Map();

  constructor(readAccount: (text: string) => ConfigReading<AccountEntry>) {
    this.#readAccount = readAccount;
  }

  /**
   * Returns the configuration with this process's accounts in the folder.
   * Throws an AccountsDirError if the folder cannot be read.
   */
  join(config: Config): { readonly config: Config; readonly secretFiles: readonly string[] } {
    const folder = config.accounts_dir;
    if (folder === undefined) return { config, secretFiles: [] };
    const names = listed(folder);
    this.#known = new Map(names.map((name) => [name, this.#read(path.join(folder, name), this.#known.get(name))]));
    const refused: Record<string, Message> = {};
    this.#used = this.#withoutClashes(folder, names, refused);
    const shard = shardOfConfig(config);
    const [own, elsewhere] = [new Map<string, AccountEntry>(), new Map<string, AccountEntry>()];
    for (const [name, account] of this.#used) (isOwn(accountName(name), shard) ? own : elsewhere).set(name, account);
    const all = [...own.values()];
    return {
      config: {
        ...config,
        // The third-party places are published by one shard only.
        ...(isOwn(THIRD_PARTY, shard) ? {} : { third_party: undefined }),
        consumer: [...own].map(([name, { api_key }]) => ({ name: accountName(name), api_key })),
        homes: all.flatMap(({ homes }) => homes),
        plans: all.flatMap(({ plans }) => plans),
        groups: all.flatMap(({ groups }) => groups),
        plugs: all.flatMap(({ plugs }) => plugs),
        accounts: { refused, elsewhere: [...elsewhere.values()] } satisfies AccountFilesFound,
      },
      secretFiles: names.flatMap((name) => [path.join(folder, name), ...(this.#known.get(name)?.secretFiles ?? [])]),
    };
  }

  /** Reads changed files, one per step, so that `join` has little left to do. `join` reports an unreadable folder. */
  *reading(folder: string): Generator<void> {
    try {
      for (const name of listed(folder)) {
        this.#known.set(name, this.#read(path.join(folder, name), this.#known.get(name)));
        yield;
      }
    } catch (error) {
      if (!(error instanceof AccountsDirError)) throw error;
    }
  }

  #read(file: string, before: KnownFile | undefined): KnownFile {
    const name = path.basename(file);
    const flaw = nameFlaw(accountName(name));
    if (flaw !== null) return refusedBy({ path: "the name of the file", ...flaw });
    try {
      const files = [file, ...(before?.secretFiles ?? [])];
      const stamp = files.map(stampOf).join();
      if (before?.stamp === stamp) return before;
      const reading = this.#readAccount(readBounded(file, MAX_ACCOUNT_BYTES));
      if (reading.kind === "mistakes") return { ...refusedBy(...reading.mistakes), stamp: null };
      const { secretFiles, config } = reading;
      const plans = config.plans.map((plan) => ({ ...plan, id: entryId(plan) }));
      return {
        stamp: isDeepStrictEqual(files, [file, ...secretFiles]) ? stamp : null,
        account: { ...config, plans },
        mistakes: [],
        secretFiles,
      };
    } catch (error) {
      return refusedBy({ path: "the file", ...whyUnread(error) });
    }
  }

  /**
   * Returns the accounts that can be used together.
   * Accounts in use come first, so that a new file never ends a running account.
   */
  #withoutClashes(
    folder: string,
    names: readonly string[],
    refused: Record<string, Message>,
  ): Map<string, AccountEntry> {
    const used = new Map<string, AccountEntry>();
    const owners = new Map<string, string>();
    const take = (name: string, account: AccountEntry): ConfigMistake[] => {
      const claims = claimsOf(account);
      const clashes = claims.flatMap(({ path: at, claim }): ConfigMistake[] => {
        const owner = owners.get(claim);
        if (owner === undefined) return [];
        return [{ path: pathText(at), ...lineIn(folder, name, at), ...message("mistake.claimed", { owner }) }];
      });
      if (clashes.length > 0) return clashes;
      for (const { claim } of claims) owners.set(claim, name);
      used.set(name, account);
      return [];
    };
    const before = this.#used;
    for (const name of [...names.filter((each) => before.has(each)), ...names.filter((each) => !before.has(each))]) {
      const { account = null, mistakes = [] } = this.#known.get(name) ?? {};
      const clashes = account ? take(name, account) : mistakes;
      if (clashes.length === 0) continue;
      refused[name] = joined(clashes.map(mistakeAt));
      const last = before.get(name);
      if (last && last !== account) take(name, last);
    }
    return new Map([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Name by which the third-party places are assigned to a shard. */
const THIRD_PARTY = "third_party";

function listed(folder: string): string[] {
  try {
    // Kubernetes keeps the folders of a mounted secret under names that begin with a dot.
    const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name));
    if (names.length > MAX_FILES) throw new Error(`it has ${names.length} files; expected at most ${MAX_FILES}`);
    return names.sort();
  } catch (error) {
    throw new AccountsDirError(error instanceof Error ? error.message : "unknown error");
  }
}

/** Returns a text that changes when the file changes or disappears. */
function stampOf(file: string): string {
  const { mtimeMs, size, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${size} ${ino}`;
}

function accountName(file: string): string {
  return file.replace(/\.ya?ml$/, "");
}

function nameFlaw(name: string): Message | null {
  if (name === THIRD_PARTY) return expecting("mistake.expected_other_name");
  return slug.safeParse(name).success ? null : message("mistake.file_name");
}

function refusedBy(...mistakes: ConfigMistake[]): KnownFile {
  return { stamp: null, account: null, mistakes, secretFiles: [] };
}

/** Returns the names that only one account may have. */
function claimsOf({ homes, plans, groups, plugs }: AccountEntry) {
  const claims = {
    home: ["homes", "id", homes.map(({ id }) => id)],
    address: ["homes", "address_id", homes.map((each) => each.address_id.toLowerCase())],
    plan: ["plans", "id", plans.map(({ id }) => id)],
    group: ["groups", "name", groups.map(({ name }) => name)],
    plug: ["plugs", "id", plugs.map(entryId)],
    device: ["plugs", "topic", plugs.map(deviceOf)],
  } as const;
  return Object.entries(claims).flatMap(([kind, [section, key, names]]) =>
    names.flatMap((name, i) => (name === undefined ? [] : [{ path: [section, i, key], claim: `${kind} ${name}` }])),
  );
}

/** Returns the line of a key; an empty object if the file was replaced or removed after it was read. */
function lineIn(folder: string, name: string, at: readonly (string | number)[]): { line?: number } {
  try {
    const reading = readYaml(readBounded(path.join(folder, name), MAX_ACCOUNT_BYTES));
    const line = reading.kind === "value" ? reading.lineOf(at.map(String)) : null;
    return line === null ? {} : { line };
  } catch {
    return {}; // the mistake itself is reported without a line
  }
}
