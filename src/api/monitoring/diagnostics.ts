/** Diagnostics for bug reports. Secrets, names, addresses and paths are replaced. */

import { entryId } from "../../config/entry-list.ts";
import { planDefinitions } from "../../config/plan-list.ts";
import type { Config } from "../../config/schema/schema.ts";
import { hostNamesIn, redactedConfig, secretsIn, userNamesIn } from "../../config/secrets.ts";
import { type RedactedText, redact, revealsPlace } from "../../core/text/redact.ts";
import { slugOf } from "../../core/text/slug.ts";
import { wire } from "../../core/text/wire.ts";
import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import type { State } from "../../state/open-state.ts";
import { KeyFile } from "../../storage/api-key-file.ts";
import type { ApiDeps } from "../deps.ts";
import { daemonRecord } from "./daemon-record.ts";
import type { HealthReport } from "./health.ts";
import { systemReport } from "./system-report.ts";

export async function diagnosticsReport(deps: ApiDeps, health: HealthReport, now: EpochMs): Promise<unknown> {
  const { config, state } = deps;
  const { homes, homeReader, accounts } = state;
  const record = await daemonRecord(deps, health, now);
  const report = {
    made_at: formatInstant(now),
    machine: machine(),
    system: systemReport(record, config, "en"),
    homes: homes.list().map((home) => {
      const { today, tomorrow, tomorrowValid, forecast, current, currency } = homeReader.snapshot(home, now);
      return {
        id: home.id,
        resolution: home.resolution,
        currency,
        has_price_now: current !== null,
        estimated: current?.estimate ?? null,
        prices: {
          today: today.length,
          tomorrow: tomorrow.length,
          tomorrow_valid: tomorrowValid,
          forecast: forecast.length,
        },
        capabilities: homes.address(home.addressId)?.capabilities ?? null,
      };
    }),
    plans: record.plans.map(({ definition, on, state, reason, runs }) => ({
      id: definition.id,
      on,
      state,
      code: reason.code,
      reason: reason.text,
      runs: runs.map(({ start, end, basis, begun }) => wire({ start, end, basis, begun })),
    })),
    config: redactedConfig(config),
  };
  const keys = record.answered.flatMap(({ labels: [key] }) => key ?? []);
  const plans = record.plans.map(({ definition }) => definition);
  return redact(report, hiddenOf({ config, homes, accounts, plans, keys }));
}

/** Sources of the texts to replace. */
interface Redacted extends Pick<State, "homes" | "accounts"> {
  readonly config: Config;
  /** Plans in addition to those of the configuration. */
  readonly plans?: readonly { readonly id: string; readonly name: string }[];
  /** Names of keys in addition to those of the configuration and of `keys.json`. */
  readonly keys?: readonly string[];
}

function machine(): object {
  const { platform, arch, versions, execArgv, uptime } = process;
  const { sqlite, v8, openssl, tz } = versions;
  return {
    platform,
    arch,
    versions: { node: versions.node, sqlite, v8, openssl, tz },
    flags: execArgv,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    process_seconds: Math.floor(uptime()),
  };
}

/** Returns the texts to replace: secrets, names, ids, addresses, hosts, users and the data directory. */
function hiddenOf({ config, homes, accounts, plans = [], keys = [] }: Redacted): RedactedText[] {
  const hide = (standIn: string, ...texts: (string | undefined)[]): RedactedText[] =>
    texts.flatMap((text) => (text === undefined || text === "" ? [] : [{ text, standIn, kind: "name" }]));
  const numbered = (kind: string, named: readonly (readonly string[])[]): RedactedText[] => {
    const each = new Map(named.map((names) => [names.join(), names]));
    return [...each.values()].flatMap((names, i) => hide(`${kind}_${i + 1}`, ...names));
  };
  const place = (standIn: string, ...texts: (string | undefined)[]): RedactedText[] =>
    hide(standIn, ...texts.filter((text) => text !== undefined && revealsPlace(text)));
  const addresses = accounts.consumers
    .flatMap(({ name }) => homes.targets(name))
    .flatMap(({ addressId }) => homes.address(addressId) ?? []);
  const known = homes.list();
  return [
    ...secretsIn(config)
      .flatMap((secret) => [secret, encodeURIComponent(secret)])
      .map((text): RedactedText => ({ text, standIn: "(secret)", kind: "secret" })),
    ...known.flatMap(({ id, name }, i) => place(`home_${i + 1}`, id, name)),
    ...addresses.flatMap(({ label, formattedAddress }, i) =>
      place(`address ${i + 1}`, label, ...partsOf(formattedAddress)),
    ),
    ...(config.third_party?.places ?? []).flatMap(({ name, address }, i) =>
      hide(`place_${i + 1}`, name, slugOf(name), ...partsOf(address ?? "")),
    ),
    ...numbered(
      "plan",
      [...planDefinitions(config.plans, config.groups), ...plans].map(({ id, name }) => [name, id]),
    ),
    ...numbered(
      "group",
      config.groups.map(({ name }) => [name]),
    ),
    ...numbered(
      "plug",
      config.plugs.map((plug) => [plug.name, entryId(plug)]),
    ),
    ...numbered(
      "key",
      [...keyNamesIn(config), ...keys].map((name) => [name]),
    ),
    ...numbered(
      "account",
      accounts.consumers.filter(({ name }) => name !== "consumer").map(({ name }) => [name]),
    ),
    ...hide("(host)", ...hostNamesIn(config)),
    ...hide("(user)", ...userNamesIn(config), ...config.broker.users.map(({ name }) => name)),
    ...hide("(data_dir)", ...(config.data_dir.length > 3 ? [config.data_dir] : [])),
  ];
}

function keyNamesIn({ api, data_dir }: Config): string[] {
  const reading = new KeyFile(data_dir).read();
  const made = reading.kind === "keys" ? reading.keys : [];
  return [...api.keys, ...(api.third_party_keys ?? []), ...made].map(({ name }) => name);
}

/** Returns an address, its parts between commas, and its street without the number. */
function partsOf(address: string): string[] {
  const lines = address.split(/, */);
  const streets = lines.map((line) => line.replace(/\s*\d.*$/, "")).filter((street) => street.length > 3);
  return [address, ...lines, ...streets];
}
