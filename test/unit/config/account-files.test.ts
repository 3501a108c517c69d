import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { AccountFiles, AccountsDirError } from "../../../src/config/reading/account-files.ts";
import { readAccount } from "../../../src/config/reading/load.ts";
import { type Config, configSchema } from "../../../src/config/schema/schema.ts";
import { textIn } from "../../../src/core/language/text.ts";
import { isOwn } from "../../../src/core/sharding/shard.ts";
import { TempDir } from "../../support/runner/temp-dir.ts";

const addressOf = (number: number) => `11111111-2222-4333-8444-${String(number).padStart(12, "0")}`;
const homesOf = (number: number) => `homes:\n  - { address_id: ${addressOf(number)}, id: house-${number} }\n`;
const account = (number: number, more = "") => `api_key: key-${number}\n${homesOf(number)}${more}`;

class Folder implements Disposable {
  readonly #dir = new TempDir();
  readonly files = new AccountFiles((text) => readAccount(text, (file) => `text of ${file}`));

  constructor(files: Readonly<Record<string, string>>) {
    mkdirSync(this.#dir.file("accounts"));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.#dir.file("accounts"), name), text);
  }

  remove(name: string): void {
    rmSync(path.join(this.#dir.file("accounts"), name));
  }

  join(shard?: { index: number; count: number }): Config {
    const basics = configSchema.parse({ accounts_dir: this.#dir.file("accounts"), mqtt: { url: "mqtt://host" } });
    return this.files.join({ ...basics, ...(shard ? { shard } : {}) }).config;
  }

  [Symbol.dispose](): void {
    this.#dir[Symbol.dispose]();
  }
}

/** A folder outside of the accounts, with files of keys. */
class Keys implements Disposable {
  readonly #dir = new TempDir();
  /** First lines of the read files of accounts and keys. */
  readonly read: string[] = [];
  readonly files = new AccountFiles((text) => {
    this.read.push(text.split("\n")[0] ?? "");
    return readAccount(text, (file) => readFileSync(file, "utf8").trim());
  });

  file(name: string): string {
    return this.#dir.file(name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.file(name), text);
  }

  [Symbol.dispose](): void {
    this.#dir[Symbol.dispose]();
  }
}

const accountsIn = ({ consumer = [] }: Config) => [consumer].flat().map(({ name, api_key }) => `${name} ${api_key}`);

describe("the accounts folder", () => {
  test("the accounts folder reads an account again only if its file or the file of its key changed", () => {
    using keys = new Keys();
    mkdirSync(keys.file("accounts"));
    for (const [i, name] of ["a", "b"].entries()) {
      keys.write(name, `key-of-${name}`);
      keys.write(`accounts/${name}.yaml`, `api_key_file: ${keys.file(name)}\n${homesOf(i)}`);
    }
    const config = configSchema.parse({ accounts_dir: keys.file("accounts"), mqtt: { url: "mqtt://host" } });
    const join = () => accountsIn(keys.files.join(config).config);
    expect(join()).toEqual(["a key-of-a", "b key-of-b"]);
    // From now on, the files that belong to the account are known.
    join();
    keys.read.length = 0;
    join();
    expect(keys.read).toEqual([]);
    keys.write("b", "another-key-of-b");
    expect(join()).toEqual(["a key-of-a", "b another-key-of-b"]);
    expect(keys.read).toEqual([`api_key_file: ${keys.file("b")}`]);
  });

  test("the accounts folder reads one file per step, and reports a missing folder when it is used", () => {
    using keys = new Keys();
    mkdirSync(keys.file("accounts"));
    for (const [i, name] of ["a", "b", "c"].entries())
      keys.write(`accounts/${name}.yaml`, `api_key: ${name}\n${homesOf(i)}`);
    const config = configSchema.parse({ accounts_dir: keys.file("accounts"), mqtt: { url: "mqtt://host" } });
    const steps: number[] = [];
    for (const _ of keys.files.reading(keys.file("accounts"))) steps.push(keys.read.length);
    expect(steps).toEqual([1, 2, 3]);
    expect(accountsIn(keys.files.join(config).config)).toEqual(["a a", "b b", "c c"]);
    expect(keys.read).toHaveLength(3);
    rmSync(keys.file("accounts"), { recursive: true });
    expect([...keys.files.reading(keys.file("accounts"))]).toEqual([]);
    expect(() => keys.files.join(config)).toThrow(AccountsDirError);
  });

  test("consists of all YAML files that are not hidden, in the order of their names", () => {
    using folder = new Folder({ "b.yaml": account(2), "a.yml": account(1), ".c.yaml": "?", "notes.txt": "?" });
    const config = folder.join();
    expect(accountsIn(config)).toEqual(["a key-1", "b key-2"]);
    expect(config.homes?.map(({ id }) => id)).toEqual(["house-1", "house-2"]);
    expect(config.accounts).toEqual({ refused: {}, elsewhere: [] });
  });

  test("the accounts folder gives each shard its own accounts and the names of the others", () => {
    const names = Array.from({ length: 20 }, (_, i) => `a${i + 1}`);
    using folder = new Folder(Object.fromEntries(names.map((name, i) => [`${name}.yaml`, account(i + 1)])));
    const shards = [0, 1, 2].map((index) => folder.join({ index, count: 3 }));
    const owners = shards.map((config) => accountsIn(config).map((each) => each.split(" ")[0] ?? ""));
    expect(owners.flat().sort()).toEqual(names.toSorted());
    for (const [index, own] of owners.entries())
      for (const name of own) expect(isOwn(name, { index, count: 3 })).toBe(true);
    for (const { homes, accounts } of shards) expect((homes?.length ?? 0) + (accounts?.elsewhere.length ?? 0)).toBe(20);
  });

  test("the accounts folder gives every plan the id that is made from its name", () => {
    const plan = (home: number) => `plans: [{ name: Car ${home}, home: house-${home}, kind: slots, hours: 1 }]`;
    using folder = new Folder({ "a.yaml": account(1, plan(1)), "b.yaml": account(2, plan(2)) });
    expect(folder.join().plans.map(({ id }) => id)).toEqual(["car_1", "car_2"]);
  });

  test.each([
    ["homes: [", /line 1/],
    [
      `api_key: k\nhomes:\n  - { address_id: ${addressOf(3)} }`,
      /homes\[0\]\.id: expected text, found nothing \(line 3\)/,
    ],
    [account(3).replace("house-3", "shard-3"), /homes\[0\]\.id: is the name of a shard/],
    [
      account(3, "plans: [{ name: A, home: house-1, kind: slots, hours: 1 }]"),
      /plans\[0\]\.home: .*house-1.*\(line 4\)/,
    ],
    [account(3, "homse: []"), /homse: is not a key of the configuration; did you mean homes\? \(line 4\)/],
    [
      account(1).replace("house-1", "other"),
      /homes\[0\]\.address_id: is used by a\.yaml already; each needs its own \(line 3\)/,
    ],
  ])("the accounts folder rejects only the file with %j", (text, why) => {
    using folder = new Folder({ "a.yaml": account(1), "b.yaml": text });
    const config = folder.join();
    expect(textIn("en", config.accounts?.refused["b.yaml"] ?? "")).toMatch(why);
    expect(accountsIn(config)).toEqual(["a key-1"]);
  });

  test("the accounts folder rejects a file whose name is not a valid account name", () => {
    using folder = new Folder({ "House 1.yaml": account(1), "third_party.yaml": account(2) });
    expect(Object.keys(folder.join().accounts?.refused ?? {})).toEqual(["House 1.yaml", "third_party.yaml"]);
  });

  test("the accounts folder keeps the last valid content of an invalid file, and drops it when the file is deleted", () => {
    using folder = new Folder({ "a.yaml": account(1), "b.yaml": account(2) });
    folder.join();
    folder.write("b.yaml", "api_key: [");
    expect(accountsIn(folder.join())).toEqual(["a key-1", "b key-2"]);
    folder.remove("b.yaml");
    expect(accountsIn(folder.join())).toEqual(["a key-1"]);
  });

  test("the accounts folder reports a clash without a line if the file became unreadable", () => {
    using folder = new Folder({ "a.yaml": account(1), "b.yaml": account(2) });
    folder.join();
    folder.write("a.yaml", account(2));
    folder.write("b.yaml", " ".repeat(100_000));
    expect(textIn("en", folder.join().accounts?.refused["b.yaml"] ?? "")).toBe("the file: it is longer than 64 KiB");
  });

  test("the accounts folder keeps a home with its running account when a new file claims it", () => {
    using folder = new Folder({ "b.yaml": account(1) });
    folder.join();
    folder.write("a.yaml", account(1).replace("key-1", "key-of-a"));
    const config = folder.join();
    expect(accountsIn(config)).toEqual(["b key-1"]);
    expect(Object.keys(config.accounts?.refused ?? {})).toEqual(["a.yaml"]);
  });

  test("that cannot be read causes an AccountsDirError", () => {
    using folder = new Folder({});
    const basics = configSchema.parse({ accounts_dir: "/nowhere" });
    expect(() => folder.files.join(basics)).toThrow(AccountsDirError);
  });
});
