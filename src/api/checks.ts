/** Endpoint that tests the connections: service, broker, database, Home Assistant and archive. */

import type { Config } from "../config/schema.ts";
import type { Account } from "../service/client/account.ts";
import { damageIn } from "../storage/damage-scan.ts";
import type { Storage } from "../storage/open-storage.ts";
import { databaseTrouble } from "../storage/write-check.ts";
import { askService, isPatience, knownAddresses, troubleText } from "./ask-service.ts";
import { type Check, resultOf } from "./broker-check.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import type { LocalSource } from "./local-source.ts";
import { described, list, namedObject, oneOf, orNull, text, type ValueOf } from "./schema.ts";

/** Maximum number of accounts that are contacted, so that a check does not use up the quota of a minute. */
const MAX_CHECKED = 3;

const check = () =>
  namedObject("Check", {
    part: text,
    state: described(oneOf(["works", "fails", "untold"]), "`untold`: it could not be tested now."),
    text: described(text, "The result, in English."),
  });
const checks = () =>
  namedObject("Checks", {
    checks: list(check()),
    keys_mark: described(orNull(text), "Digest of the keys of the service that are in use."),
  });

export type ChecksAnswer = ValueOf<typeof checks>;

export const checkEndpoints: readonly Endpoint[] = [
  endpoint("POST /local/v1/checks", "runChecks", "control", {
    summary: "Tests service, broker, database, Home Assistant and archive, with at most three requests to the service.",
    answer: checks,
    async run(source) {
      const { state, storage, config, checkBroker } = source;
      const found: Check[] = [];
      for (const [i, account] of state.accounts.all.entries())
        found.push(await checkAccount(source, account, i < MAX_CHECKED));
      found.push(await checkBroker(), await checkDatabase(storage));
      const configured = [await checkHomeAssistant(config), await checkArchive(config)].flatMap((each) => each ?? []);
      const body = { checks: [...found, ...configured], keys_mark: state.accounts.keysMark };
      return { kind: "json", body };
    },
  }),
];

async function checkAccount(source: LocalSource, account: Account, isTried: boolean): Promise<Check> {
  const part = `service (${account.name})`;
  if (!isTried) return { part, state: "untold", text: `not tested: a check tests at most ${MAX_CHECKED} accounts` };
  const isPartner = account === source.state.accounts.thirdParty;
  const trouble = await askService(source, account, isPartner ? "requestCounts" : "addresses");
  if (trouble) return { part, state: isPatience(trouble) ? "untold" : "fails", text: troubleText(trouble) };
  const { minute, day } = account.standing(source.clock.now());
  const left = [minute ? `${minute.left} this minute` : [], day ? `${day.left} today` : []].flat();
  const count = knownAddresses(source, account)?.length ?? 0;
  const found = isPartner ? [] : [count === 1 ? "1 address" : `${count} addresses`];
  const requests = left.length > 0 ? [`requests left: ${left.join(", ")}`] : [];
  return resultOf(part, null, ["it answers", ...found, ...requests].join("; "));
}

async function checkDatabase({ database, databasePath }: Pick<Storage, "database" | "databasePath">): Promise<Check> {
  const trouble = (await databaseTrouble(database, databasePath)) ?? (damageIn(database).join(", ") || null);
  const chunks = database.prepare("select count(*) as n from chunk").get()?.n;
  return resultOf("database", trouble, `writable; ${chunks} chunks stored`);
}

/** Logs in to Home Assistant and disconnects. Returns null if it is not configured. */
async function checkHomeAssistant({ home_assistant }: Pick<Config, "home_assistant">): Promise<Check | null> {
  if (!home_assistant) return null;
  const { HomeAssistantClient } = await import("../integrations/homeassistant/websocket-client.ts");
  const login = () => HomeAssistantClient.connect(home_assistant, new AbortController().signal);
  return resultOf("Home Assistant", await troubleOf(login), "it accepts the token");
}

/** Logs in to the archive and disconnects. Returns null if it is not configured. */
async function checkArchive({ archive }: Pick<Config, "archive">): Promise<Check | null> {
  if (!archive) return null;
  const { PostgresArchive } = await import("../integrations/archive/postgres-archive.ts");
  const login = () => PostgresArchive.check(archive, new AbortController().signal);
  return resultOf("archive", await troubleOf(login), "PostgreSQL accepts the login");
}

async function troubleOf(login: () => Promise<{ close(): unknown }>): Promise<string | null> {
  try {
    (await login()).close();
    return null;
  } catch (error) {
    return error instanceof Error && error.message ? error.message : "no connection";
  }
}
