/** Endpoint that tests the connections: service, broker, database, Home Assistant and archive. */

import { createServer } from "node:net";
import { type Text, textIn } from "../../core/language/text.ts";
import { withoutLogin } from "../../mqtt/broker/start-broker.ts";
import { asTried, type TriedAccount } from "../../state/accounts/open-account.ts";
import type { Storage } from "../../storage/open-storage.ts";
import { damageIn } from "../../storage/recovery/damage-scan.ts";
import { databaseTrouble } from "../../storage/write-check.ts";
import { endpoint } from "../endpoint.ts";
import type { LocalSource } from "../house/local-source.ts";
import { described, list, namedObject, oneOf, orNull, text, type ValueOf } from "../schema.ts";
import { MAX_TRIED, type Trial, tryAccount, tryConnection, WAITS } from "./try-connection.ts";

interface Check {
  readonly part: string;
  /** `untold` if it could not be tested, for instance because the quota does not allow it now. */
  readonly state: "works" | "fails" | "untold";
  readonly text: string;
}

const LOGINS = [
  ["home_assistant", "Home Assistant", "it accepts the token"],
  ["archive", "archive", "PostgreSQL accepts the login"],
] as const;

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

export const checkEndpoints = [
  endpoint("POST /local/v1/checks", "runChecks", "control", {
    summary: "Tests service, broker, database, Home Assistant and archive, with at most three requests to the service.",
    answer: checks,
    async run(source) {
      const { state, storage, config, proxy } = source;
      const found: Check[] = [];
      for (const [i, tried] of state.accounts.all.map(asTried).entries())
        found.push(await checkAccount(source, tried, i < MAX_TRIED));
      found.push(await checkBroker(source), await checkDatabase(storage));
      for (const [kind, part, accepts] of LOGINS)
        if (config[kind]) found.push(shown(part, await tryConnection(source, kind, config, { proxy }), accepts));
      const body = { checks: found, keys_mark: state.accounts.keysMark };
      return { kind: "json", body };
    },
  }),
];

/** Returns the result of a test as it is shown. `otherwise` is the text if it works. */
function shown(part: string, { works, code, facts: { detail } }: Trial, otherwise: string): Check {
  if (works) return { part, state: "works", text: otherwise };
  return { part, state: code === WAITS ? "untold" : "fails", text: textIn("en", detail ?? "") };
}

/** Returns the result of a test by the reason of its failure; null if the part works. */
function resultOf(part: string, detail: Text | null, otherwise: string): Check {
  return shown(part, { works: detail === null, code: null, facts: { detail } }, otherwise);
}

async function checkAccount(source: LocalSource, tried: TriedAccount, isTried: boolean): Promise<Check> {
  const { account } = tried;
  const part = `service (${account.name})`;
  if (!isTried) return { part, state: "untold", text: `not tested: a check tests at most ${MAX_TRIED} accounts` };
  const trial = await tryAccount(source, tried);
  const { minute, day } = account.standing(source.clock.now());
  const left = [minute ? `${minute.left} this minute` : [], day ? `${day.left} today` : []].flat();
  const count = trial.facts.addresses?.length;
  const found = count === undefined ? [] : [count === 1 ? "1 address" : `${count} addresses`];
  const requests = left.length > 0 ? [`requests left: ${left.join(", ")}`] : [];
  return shown(part, trial, ["it answers", ...found, ...requests].join("; "));
}

async function checkDatabase({ database, databasePath }: Pick<Storage, "database" | "databasePath">): Promise<Check> {
  const trouble = (await databaseTrouble(database, databasePath)) ?? (damageIn(database).join(", ") || null);
  const chunks = database.prepare("select count(*) as n from chunk").get()?.n;
  return resultOf("database", trouble, `writable; ${chunks} chunks stored`);
}

/** Tests the broker: the running daemon's connection, or else the login of another one, or the port of the built-in one. */
async function checkBroker(source: LocalSource): Promise<Check> {
  const { broker, mqtt } = source.config;
  if (source.broker) {
    const { url, trouble } = source.broker();
    return resultOf("broker", trouble, `connected: ${url === undefined ? "built in" : withoutLogin(url)}`);
  }
  if (mqtt.url !== undefined) {
    const { facts } = await tryConnection(source, "mqtt", source.config, { proxy: null });
    return resultOf("broker", facts.detail, `${withoutLogin(mqtt.url)} accepts the login`);
  }
  const trouble = await whyNotFree(broker.host, broker.port);
  const failure = trouble && `the built-in broker cannot listen on port ${broker.port}: ${trouble}`;
  return resultOf("broker", failure, `built in, port ${broker.port} free`);
}

function whyNotFree(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "EADDRINUSE" ? "another program uses it" : (error.code ?? error.message));
    });
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
