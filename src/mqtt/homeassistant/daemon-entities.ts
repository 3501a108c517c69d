/** Entities of the daemon's own device. All are diagnostic. */
import { messageOr } from "../../core/language/text.ts";
import { type InterfaceState, type SeriesFreshness, serviceStates } from "../../core/status/daemon-status.ts";
import { isNewer } from "../../core/status/release-update.ts";
import { slugOf } from "../../core/text/slug.ts";
import { formatInstant, formatInstantOrNull } from "../../core/time/interval.ts";
import type { DaemonView } from "../topics/daemon-topics.ts";
import type { Device, EntityRow } from "./entity.ts";

type Row = EntityRow<DaemonView>;

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

/** Returns every entity of the daemon for its current accounts and series. */
export function daemonRows(state: Pick<DaemonView, "interfaces" | "series">): Row[] {
  return [...fixedRows, ...state.interfaces.flatMap(interfaceRows), ...state.series.map(freshnessRow)];
}

const DIAGNOSTIC = { platform: "sensor", category: "diagnostic" } as const;

const fixedRows: readonly Row[] = [
  {
    key: "problem",
    name: "problem",
    about: "ON while a problem needs attention; its attribute holds the reason.",
    value: ({ problems }) => problems.length > 0,
    ...DIAGNOSTIC,
    platform: "binary_sensor",
    deviceClass: "problem",
    icon: "mdi:alert-circle-outline",
    attributes: "problems",
  },
  {
    key: "version",
    name: "version",
    about: "The running version.",
    value: ({ version }) => version,
    ...DIAGNOSTIC,
    icon: "mdi:tag-outline",
  },
  {
    key: "update",
    name: "update",
    about: "The running and the newest version, with `update_feed`. Shows a newer version; elbro does not install it.",
    value: updateOf,
    platform: "update",
    category: "diagnostic",
    icon: "mdi:package-up",
    exists: ({ update }) => update !== null,
  },
  {
    key: "started_at",
    name: "started",
    about: "Start time of the daemon.",
    value: ({ startedAt }) => formatInstant(startedAt),
    ...DIAGNOSTIC,
    deviceClass: "timestamp",
    icon: "mdi:clock-start",
  },
  {
    key: "backfill",
    name: "history_collected",
    about: "Share of the configured history that has been fetched.",
    value: ({ backfill }) =>
      backfill && (backfill.wanted === 0 ? 100 : Math.floor((100 * backfill.known) / backfill.wanted)),
    ...DIAGNOSTIC,
    unit: "%",
    precision: 0,
    icon: "mdi:database-clock-outline",
  },
  {
    key: "refused_command",
    name: "last_refused_command",
    about: "Time of the last refused MQTT command since the start; its attributes hold the command and the reason.",
    value: ({ refusedCommand }) => formatInstantOrNull(refusedCommand?.at),
    ...DIAGNOSTIC,
    deviceClass: "timestamp",
    icon: "mdi:message-alert-outline",
    attributes: "refused_command",
  },
];

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

function interfaceRows({ account }: InterfaceState): Row[] {
  const key = slugOf(account);
  const find = (state: DaemonView) => state.interfaces.find((each) => each.account === account);
  // They change with every request, which would fill the history of Home Assistant.
  const count = { ...DIAGNOSTIC, isHidden: true, icon: "mdi:counter" } as const;
  return [
    {
      key: `service_${key}`,
      name: "service",
      facts: { account },
      about: "Whether the service answers this account, or the reason why not.",
      value: (state) => find(state)?.service ?? null,
      ...DIAGNOSTIC,
      deviceClass: "enum",
      options: serviceStates,
      icon: "mdi:cloud-check-outline",
    },
    {
      key: `quota_minute_${key}`,
      name: "quota_left_this_minute",
      facts: { account },
      about: "Requests that the service still accepts in this minute.",
      value: (state) => find(state)?.minuteLeft ?? null,
      ...count,
    },
    {
      key: `quota_day_${key}`,
      name: "quota_left_today",
      facts: { account },
      about: "Requests that the service still accepts today (UTC).",
      value: (state) => find(state)?.dayLeft ?? null,
      ...count,
    },
    {
      key: `requests_today_${key}`,
      name: "requests_today",
      facts: { account },
      about: "Requests since midnight UTC, including denied ones.",
      value: (state) => find(state)?.requestsToday ?? null,
      ...count,
    },
  ];
}

function freshnessRow(series: SeriesFreshness): Row {
  const key = freshnessKey(series);
  return {
    key,
    name: "last_answer",
    facts: { owner: series.owner?.name ?? series.account, series: messageOr(`series.${series.label}`, series.label) },
    about: "Time of the last response of the service with this series.",
    value: (state) => formatInstantOrNull(state.series.find((each) => isSameSeries(each, series))?.lastSuccessAt),
    ...DIAGNOSTIC,
    deviceClass: "timestamp",
    icon: "mdi:clock-check-outline",
  };
}

function isSameSeries(a: SeriesFreshness, b: SeriesFreshness): boolean {
  return a.owner?.id === b.owner?.id && a.account === b.account && a.label === b.label;
}

function freshnessKey({ owner, account, label }: SeriesFreshness): string {
  return `last_answer_${slugOf(owner?.id ?? account)}_${slugOf(label)}`;
}
