import { describe, expect, test } from "vitest";
import type { Config } from "../../../src/config/schema/schema.ts";
import { MINUTE_MS } from "../../../src/core/time/interval.ts";
import type { Dropped } from "../../../src/service/contract/operations.ts";
import { Homes } from "../../../src/state/homes.ts";
import { SeriesRepository } from "../../../src/state/series-repository.ts";
import { KeyValueStore } from "../../../src/storage/key-value-store.ts";
import { answers } from "../../fixtures/answers.ts";
import { calendar, StoreOnDisk } from "../../support/storage/store-on-disk.ts";

const [first] = answers.addresses.data;
const NOW = Date.parse("2026-03-10T09:00:00Z");
const [A, B, C] = ["1", "2", "3"].map((digit) => `3f2504e0-4f89-41d3-9a0c-0305e82c330${digit}`) as [
  string,
  string,
  string,
];

const HOME_AND_CABIN: Parameters<ReportedHomes["report"]>[0] = [
  [A, "Home"],
  [B, "Cabin"],
];

/** Accounts with addresses, each with id and label. */
class ReportedHomes implements Disposable {
  readonly #store = new StoreOnDisk();
  readonly #library = new SeriesRepository(this.#store.database, calendar, () => NOW);

  async report(
    addresses: readonly (readonly [id: string, label: string, region?: string])[],
    account = "consumer",
    dropped: Dropped | null = null,
    at: number = NOW,
  ): Promise<void> {
    const data = addresses.map(([id, label, region = "DK1"]) => ({ ...first, id, label, region }));
    await this.#library.keepAnswer(account, "addresses", {}, { body: { data } as never, at, dropped });
  }

  homes(config?: Config["homes"], accounts: readonly string[] = ["consumer"]): Homes {
    return new Homes(accounts, config, this.#library, new KeyValueStore(this.#store.database));
  }

  /** Counts how often a list of addresses is read from now on. */
  countReads(): { count: number } {
    const reads = { count: 0 };
    const { store } = this.#library;
    const latest = store.latest.bind(store);
    store.latest = (key) => {
      reads.count++;
      return latest(key);
    };
    return reads;
  }

  ids(config?: Config["homes"], accounts?: readonly string[]): string[] {
    return this.homes(config, accounts)
      .list()
      .map(({ id }) => id);
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }
}

/** Returns accounts after a first list of addresses. */
async function reporting(...list: Parameters<ReportedHomes["report"]>): Promise<ReportedHomes> {
  const reported = new ReportedHomes();
  await reported.report(...list);
  return reported;
}

function home(address_id: string, id?: string): NonNullable<Config["homes"]>[number] {
  return { address_id, resolution: "hour", ...(id === undefined ? {} : { id }) };
}

test("there is no home before an account has its addresses", () => {
  using reported = new ReportedHomes();
  const homes = reported.homes();
  expect([homes.list(), homes.targets("consumer"), homes.known, homes.address(A)]).toEqual([[], [], false, null]);
});

test("every address is a home, named by its label, with quarter-hourly resolution", async () => {
  using reported = await reporting([[A, "Sommerhus på Læsø"]]);
  expect(reported.homes().list()).toEqual([
    {
      id: "sommerhus_paa_laesoe",
      name: "Sommerhus på Læsø",
      account: "consumer",
      addressId: A,
      resolution: "fifteenMinutes",
    },
  ]);
});

describe("a home id", () => {
  test("a home id is unique if labels are equal", async () => {
    using reported = new ReportedHomes();
    await reported.report([
      [A, "Home"],
      [B, "home!"],
      [C, "HOME"],
    ]);
    expect(reported.ids()).toEqual(["home", "home_2", "home_3"]);
  });

  test("a home id stays when the label changes, and when addresses are reordered or added", async () => {
    using reported = await reporting(HOME_AND_CABIN);
    expect(reported.ids()).toEqual(["home", "cabin"]);
    await reported.report([
      [C, "Home"],
      [B, "Home"],
      [A, "Flat"],
    ]);
    expect(reported.ids()).toEqual(["home_2", "cabin", "home"]);
    expect(
      reported
        .homes()
        .list()
        .map(({ name }) => name),
    ).toEqual(["Home", "Home", "Flat"]);
  });

  test("that the owner assigns to another home moves to that home", async () => {
    using reported = await reporting(HOME_AND_CABIN);
    expect(reported.ids()).toEqual(["home", "cabin"]);
    const config = [home(A), home(B, "home")];
    expect(reported.ids(config)).toEqual(["home_2", "home"]);
    expect(reported.ids(config)).toEqual(["home_2", "home"]);
  });

  test("that was generated returns when the owner's id is removed", async () => {
    using reported = await reporting([[A, "Home"]]);
    expect([reported.ids(), reported.ids([home(A, "villa")]), reported.ids()]).toEqual([["home"], ["villa"], ["home"]]);
  });
});

test("a home is relocated once by a list with another region, also after the process ended, and not by a start", async () => {
  using reported = new ReportedHomes();
  const [homes, relocated] = [reported.homes(), () => reported.homes().takeChanges().relocated.length];
  await reported.report([[A, "Home"]]);
  expect(homes.takeChanges().relocated).toEqual([]);
  await reported.report([[A, "Home", "DK2"]]);
  expect([homes.takeChanges().relocated.length, homes.takeChanges().relocated.length, relocated()]).toEqual([1, 0, 0]);
  await reported.report([[A, "Home"]]);
  expect([relocated(), relocated()]).toEqual([1, 0]);
});

describe("an address that a list lacks", () => {
  const lists = async (reported: ReportedHomes, ...ats: readonly number[]) => {
    for (const at of ats) await reported.report([[B, "New"]], "consumer", null, NOW + at * MINUTE_MS);
  };

  test("is a former home after two whole lists ten minutes apart, once, and is stored", async () => {
    using reported = await reporting([[A, "Old"]]);
    const homes = reported.homes();
    expect(homes.list()).toHaveLength(1);
    await lists(reported, 0, 9);
    expect(homes.list().map(({ id }) => id)).toEqual(["new", "old"]);
    expect(homes.takeChanges().gone).toEqual([]);
    await lists(reported, 10);
    expect(homes.list().map(({ id }) => id)).toEqual(["new"]);
    expect([homes.takeChanges().gone.map(({ id }) => id), homes.takeChanges().gone]).toEqual([["old"], []]);
    expect([homes.stored("old"), reported.homes().stored("old")]).toMatchObject([
      { id: "old", addressId: A },
      { id: "old", addressId: A },
    ]);
    expect(homes.named("old")).toBeNull();
  });

  test("is a former home, also if the process ended between the list and what follows", async () => {
    using reported = await reporting([[A, "Old"]]);
    expect(reported.homes().list()).toHaveLength(1);
    await lists(reported, 0, 10);
    const homes = reported.homes();
    expect([homes.former, homes.takeChanges().gone]).toMatchObject([[{ id: "old", addressId: A }], [{ id: "old" }]]);
    expect([reported.homes().former.length, reported.homes().takeChanges().gone]).toEqual([1, []]);
  });

  test("is a former home with another id if the owner gives its id to the new address", async () => {
    using reported = await reporting([[A, "Old"]]);
    const homes = reported.homes([home(A, "villa")]);
    expect(homes.list()).toMatchObject([{ id: "villa", addressId: A }]);
    await lists(reported, 0, 10);
    expect([homes.list(), homes.former]).toMatchObject([[], [{ id: "villa", addressId: A }]]);
    expect(homes.endFormer("villa", "new")).toBeNull();
    homes.configure(["consumer"], [home(B, "villa")]);
    const expected = [[{ id: "villa", addressId: B }], [{ id: "villa_former", addressId: A }]];
    expect([homes.list(), homes.former]).toMatchObject(expected);
    expect(homes.formerAt(A)).toMatchObject({ id: "villa_former" });
    const restarted = reported.homes([home(B, "villa")]);
    expect([restarted.list(), restarted.former]).toMatchObject(expected);
  });

  test("stays if a list in between has it, if a part of a list is unreadable, and if a list is empty", async () => {
    using reported = await reporting([[A, "Old"]]);
    await lists(reported, 0);
    await reported.report([[A, "Old"]], "consumer", null, NOW + 5 * MINUTE_MS);
    await lists(reported, 20);
    await reported.report([[B, "New"]], "consumer", { ids: [C], count: 1, why: "-" }, NOW + 40 * MINUTE_MS);
    await reported.report([], "consumer", null, NOW + 60 * MINUTE_MS);
    expect(reported.ids().toSorted()).toEqual(["new", "old"]);
  });
});

describe("homes in the configuration", () => {
  test("replace all other homes and keep their resolution; address ids match in any case", async () => {
    using reported = await reporting(HOME_AND_CABIN);
    const homes = reported.homes([home(A.toUpperCase(), "villa")]);
    expect(homes.list()).toMatchObject([{ id: "villa", addressId: A, resolution: "hour" }]);
    expect(homes.targets("consumer")).toMatchObject([{ addressId: A, resolution: "hour" }]);
  });

  test("without an account are omitted", async () => {
    using reported = await reporting([[A, "Home"]]);
    expect(reported.ids([home(C, "villa")])).toEqual([]);
  });
});

describe("several accounts", () => {
  test("several accounts have their own homes with different ids", async () => {
    using reported = await reporting([[A, "Home"]], "mine");
    await reported.report([[B, "Home"]], "yours");
    const homes = reported.homes(undefined, ["mine", "yours"]);
    expect(homes.list()).toMatchObject([
      { id: "home", account: "mine" },
      { id: "home_2", account: "yours" },
    ]);
    expect([homes.accountOf(B.toUpperCase()), homes.accountOf(C)]).toEqual(["yours", null]);
    expect(homes.targets("yours").map(({ addressId }) => addressId)).toEqual([B]);
  });

  test("with the same address have one home, which the first account requests", async () => {
    using reported = await reporting([[A, "Home"]], "mine");
    await reported.report(
      [
        [A.toUpperCase(), "Home"],
        [B, "Cabin"],
      ],
      "yours",
    );
    const homes = reported.homes(undefined, ["mine", "yours"]);
    expect(homes.list()).toMatchObject([
      { id: "home", account: "mine" },
      { id: "cabin", account: "yours" },
    ]);
    expect(homes.targets("yours").map(({ addressId }) => addressId)).toEqual([B]);
  });
});

test("the requested series are those that the address has data for", async () => {
  using reported = await reporting([[A, "Home"]]);
  const [target] = reported.homes().targets("consumer");
  const able = Object.entries(first?.capabilities ?? {}).flatMap(([name, is]) => (is ? name : []));
  expect(target?.series.map(({ series }) => series.operation).toSorted()).toEqual(able.toSorted());
  expect(reported.homes().targets("another")).toEqual([]);
});

test("a new account among many reads only its own addresses", async () => {
  using reported = new ReportedHomes();
  const accounts = Array.from({ length: 50 }, (_, i) => `account${i}`);
  const idOf = (i: number) => `3f2504e0-4f89-41d3-9a0c-0305e82c33${String(i).padStart(2, "0")}`;
  for (const [i, account] of accounts.slice(1).entries()) await reported.report([[idOf(i), `Flat ${i}`]], account);
  const homes = reported.homes(undefined, accounts);
  expect(homes.list()).toHaveLength(49);
  const reads = reported.countReads();
  await reported.report([[idOf(60), "Attic"]], "account0");
  expect(homes.list().map(({ id }) => id)).toEqual(["attic", ...accounts.slice(1).map((_, i) => `flat_${i}`)]);
  expect(homes.named("attic")).toMatchObject({ account: "account0", addressId: idOf(60) });
  expect(homes.at(idOf(60))?.id).toBe("attic");
  // The stored list, which the new one replaces, and the new one.
  expect(reads.count).toBe(2);
});

test("an address that an earlier account reports later moves to that account with the same id", async () => {
  using reported = new ReportedHomes();
  const homes = reported.homes(undefined, ["mine", "yours"]);
  await reported.report([[A, "Flat"]], "yours");
  expect(homes.list()).toMatchObject([{ id: "flat", account: "yours" }]);
  await reported.report([[A, "Flat"]], "mine");
  expect(homes.list()).toMatchObject([{ id: "flat", account: "mine" }]);
});

test("a replaced selection returns the homes that were added, changed or removed, and no other", async () => {
  using reported = await reporting([[A, "Flat"]], "mine");
  await reported.report([[B, "Cabin"]], "yours");
  await reported.report([[C, "Attic"]], "hers");
  const homes = reported.homes([home(A, "flat"), home(B, "cabin")], ["mine", "yours"]);
  const changed = (...replaced: Parameters<Homes["configure"]>) => homes.configure(...replaced).map(({ id }) => id);
  expect(changed(["mine", "yours", "hers"], [home(A, "flat"), home(B, "cabin"), home(C, "attic")])).toEqual(["attic"]);
  const quarters = { ...home(B, "cabin"), resolution: "fifteenMinutes" as const };
  expect(changed(["mine", "yours", "hers"], [home(A, "flat"), quarters, home(C, "attic")])).toEqual(["cabin"]);
  expect(changed(["mine", "yours"], [home(A, "flat"), quarters])).toEqual(["attic"]);
  expect(changed(["mine", "yours"], [home(A, "flat"), quarters])).toEqual([]);
});

test("an address that was dropped from a response keeps its stored form", async () => {
  using reported = await reporting(HOME_AND_CABIN);
  await reported.report([[A, "Home"]], "consumer", { count: 1, why: "row 1: label: expected string", ids: [B] });
  expect(reported.ids()).toEqual(["home", "cabin"]);
  for (const minutes of [0, 10]) await reported.report([[A, "Home"]], "consumer", null, NOW + minutes * MINUTE_MS);
  expect(reported.ids()).toEqual(["home"]);
});
