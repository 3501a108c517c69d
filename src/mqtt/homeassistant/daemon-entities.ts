/** Entities of the daemon's own device. All are diagnostic. */
import { messageOr } from "../../core/language/text.ts";
import { type InterfaceState, type SeriesFreshness, serviceStates } from "../../core/status/daemon-status.ts";
import { isNewer } from "../../core/status/release-update.ts";
import { slugOf } from "../../core/text/slug.ts";
import type { DaemonView } from "../topics/daemon-topics.ts";
import { type Device, type EntityRow, entityRow } from "./entity.ts";

type Row = EntityRow<DaemonView>;
const row = entityRow<DaemonView>;

/**
 * Maximum number of accounts with entities. A household has one to three. The discovery document is one message, which
 * would have 5 MB for 1,000 accounts. The topic `info`, `/metrics` and `/local/v1/system` list all accounts.
 */
const MAX_ACCOUNTS = 32;

/** Returns the device of the daemon. Its rows depend on the configured accounts and series. */
export function daemonDevice(all: DaemonView, name = "elbro", id: string | null = null): Device<DaemonView> {
  const interfaces = all.interfaces.slice(0, MAX_ACCOUNTS);
  const accounts = new Set(interfaces.map(({ account }) => account));
  const series = all.series.filter(({ account }) => accounts.has(account));
  const state = { ...all, interfaces, series };
  return { id, name, model: "Daemon", rows: daemonRows(state), state, currency: null };
}

/** Returns every entity of the daemon for its current accounts and series, whose values the rows have. */
export function daemonRows(state: Pick<DaemonView, "interfaces" | "series">): Row[] {
  return [...fixedRows, ...state.interfaces.flatMap(interfaceRows), ...state.series.map(freshnessRow)];
}

const DIAGNOSTIC = { platform: "sensor", category: "diagnostic" } as const;
const TIME = { ...DIAGNOSTIC, deviceClass: "timestamp" } as const;
/** Changes with every request, which would fill the history of Home Assistant. */
const COUNT = { ...DIAGNOSTIC, isHidden: true, icon: "mdi:counter" } as const;

const fixedRows: readonly Row[] = [
  row("problem", "problem", ({ problems }) => problems.length > 0, {
    category: "diagnostic",
    platform: "binary_sensor",
    deviceClass: "problem",
    icon: "mdi:alert-circle-outline",
    attributes: "problems",
  }),
  row("version", "version", ({ version }) => version, { ...DIAGNOSTIC, isHidden: true, icon: "mdi:tag-outline" }),
  row("update", "update", updateOf, {
    platform: "update",
    category: "diagnostic",
    icon: "mdi:package-up",
    exists: ({ update }) => update !== null,
  }),
  row("started_at", "started", ({ startedAt }) => startedAt, { ...TIME, icon: "mdi:clock-start" }),
  row("backfill", "history_collected", ({ backfill }) => backfill && shareOf(backfill), {
    ...DIAGNOSTIC,
    unit: "%",
    precision: 0,
    icon: "mdi:database-clock-outline",
  }),
  row("refused_command", "last_refused_command", ({ refusedCommand }) => refusedCommand?.at ?? null, {
    ...TIME,
    icon: "mdi:message-alert-outline",
    attributes: "refused_command",
  }),
];

/** Returns the collected share of the history in percent. */
function shareOf({ known, wanted }: NonNullable<DaemonView["backfill"]>): number {
  return wanted === 0 ? 100 : Math.floor((100 * known) / wanted);
}

/** Returns the payload of an update entity, as JSON in a text. Source: Home Assistant's integration update.mqtt. */
function updateOf({ version, update }: DaemonView): string | null {
  if (update === null) return null;
  return JSON.stringify({
    installed_version: version,
    latest_version: isNewer(update.version, version) ? update.version : version,
    title: "elbro",
    ...(update.url === null ? {} : { release_url: update.url }),
  });
}

function interfaceRows({ account, ...state }: InterfaceState): Row[] {
  const key = slugOf(account);
  const facts = { account };
  const count = { ...COUNT, facts };
  return [
    row(`service_${key}`, "service", () => state.service, {
      ...DIAGNOSTIC,
      facts,
      deviceClass: "enum",
      options: serviceStates,
      icon: "mdi:cloud-check-outline",
    }),
    row(`quota_minute_${key}`, "quota_left_this_minute", () => state.quota.minute?.left ?? null, count),
    row(`quota_day_${key}`, "quota_left_today", () => state.quota.day?.left ?? null, count),
    row(`requests_today_${key}`, "requests_today", () => state.requestsToday, count),
  ];
}

function freshnessRow({ owner, account, label, lastSuccessAt }: SeriesFreshness): Row {
  const key = `last_answer_${slugOf(owner?.id ?? account)}_${slugOf(label)}`;
  return row(key, "last_answer", () => lastSuccessAt, {
    ...TIME,
    isHidden: true,
    facts: { owner: owner?.name ?? account, series: messageOr(`series.${label}`, label) },
    icon: "mdi:clock-check-outline",
  });
}
