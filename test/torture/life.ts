/**
 * Records a daemon: a first start, requests of a device, a kill, commands that create and revoke keys, a second start
 * and a regular end. Returns its writes to the data directory and its messages to others.
 */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { DAY_MS, type EpochMs, formatInstant, HOUR_MS } from "../../src/core/time/interval.ts";
import { LAN_KEY } from "../support/daemon/test-config.ts";
import type { DaemonProcess } from "../support/processes/daemon-process.ts";
import { InstalledDaemon } from "../support/processes/installed-daemon.ts";
import { TempDir } from "../support/runner/temp-dir.ts";
import { calendar } from "../support/storage/store-on-disk.ts";
import { Disk } from "./disk.ts";
import { type Deed, readRecording, recorder } from "./recording.ts";

type Row = Readonly<Record<string, unknown>> & { readonly start: string };

/** Response with status 200 to a device on the LAN. */
export interface Answer {
  readonly requestId: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly rows: readonly Row[];
}

export interface Life {
  readonly deeds: readonly Deed[];
  readonly answers: readonly Answer[];
  readonly addressId: string;
  /** Prices of the service, by unit and start. */
  readonly truth: Truth;
  /** Files of the data directory after the kill. */
  readonly killed: ReadonlyMap<string, Buffer>;
  readonly ended: ReadonlyMap<string, Buffer>;
  readonly lastedMs: number;
}

export type Truth = Readonly<Record<"hour" | "fifteenMinutes", ReadonlyMap<string, unknown>>>;

/** Names of the keys that the command line creates. The second is revoked. */
export const KEPT_KEY = "kitchen";
export const REVOKED_KEY = "garage";
/** Number of past days that the device requests, one after another. */
const ASKED_DAYS = 20;
const MONTHS = 2;
const LIMITS = { minute: 600, day: 20_000 };

export async function recordLife(): Promise<Life> {
  const began = performance.now();
  await using installed = await InstalledDaemon.prepare({
    simulator: { homes: ["danish"], limits: LIMITS },
    config: { history: { months: MONTHS } },
  });
  using notes = new TempDir();
  const deeds: Deed[] = [];
  const recorded = async (name: string, args: readonly string[], use: (daemon: DaemonProcess) => Promise<unknown>) => {
    const file = notes.file(name);
    await using daemon = installed.spawn(args, {}, { under: recorder(file) });
    await use(daemon);
    await daemon.exit;
    for (const deed of readRecording(file, installed.dataDir)) deeds.push(deed);
    deeds.push({ kind: "said", text: `end of ${name}` });
  };
  const answers: Answer[] = [];
  const asks = async (daemon: DaemonProcess, first: number) => {
    await daemon.line(/broker connected/);
    const port = await daemon.apiPort();
    for (let i = 0; i < ASKED_DAYS; i++) {
      const answer = await askDay(port, first + i);
      if (answer) answers.push(answer);
    }
  };
  await recorded("first life", [], async (daemon) => {
    await asks(daemon, 0);
    await pause(2_000);
    signalTraced(daemon, "SIGKILL");
  });
  const killed = filesAfter(deeds);
  for (const name of [KEPT_KEY, REVOKED_KEY])
    await recorded(`create ${name}`, ["keys", "create", name], async () => undefined);
  await recorded(`revoke ${REVOKED_KEY}`, ["keys", "revoke", REVOKED_KEY], async () => undefined);
  await recorded("second life", [], async (daemon) => {
    await asks(daemon, ASKED_DAYS);
    signalTraced(daemon, "SIGTERM");
  });
  const addressId = await addressOf(installed);
  const truth = {
    hour: await pricesOf(installed, addressId, "hour"),
    fifteenMinutes: await pricesOf(installed, addressId, "fifteenMinutes"),
  };
  const lastedMs = performance.now() - began;
  return { deeds, answers, addressId, truth, killed, ended: filesAfter(deeds), lastedMs };

  async function askDay(port: number, back: number): Promise<Answer | null> {
    const id = await addressOf(installed);
    const { start: from, end: to } = calendar.day(Date.now() - (100 + back) * DAY_MS);
    const query = `from=${formatInstant(from)}&to=${formatInstant(to)}&resolution=hour`;
    const response = await fetch(`http://127.0.0.1:${port}/consumer/v1/me/addresses/${id}/prices?${query}`, {
      headers: { authorization: `Bearer ${LAN_KEY}` },
    });
    const body = (await response.json()) as { data?: Row[] };
    const requestId = response.headers.get("x-request-id") ?? "";
    return response.status === 200 && body.data ? { requestId, from, to, rows: body.data } : null;
  }
}

/** Returns the files of the data directory after a kill. */
function filesAfter(deeds: readonly Deed[]): Map<string, Buffer> {
  const disk = new Disk();
  for (const deed of deeds) if (deed.kind === "disk") deed.to(disk);
  return disk.files();
}

/** Sends a signal to the process that strace runs. */
function signalTraced({ pid }: DaemonProcess, signal: NodeJS.Signals): void {
  const [traced] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  process.kill(Number(traced), signal);
}

async function asked(installed: InstalledDaemon, path: string): Promise<{ readonly data: readonly Row[] }> {
  const response = await fetch(`${installed.simulator.url}/consumer/v1${path}`, {
    headers: { authorization: `Bearer ${installed.simulator.keys.consumerKey}` },
  });
  return (await response.json()) as { data: Row[] };
}

async function addressOf(installed: InstalledDaemon): Promise<string> {
  return String((await asked(installed, "/me/addresses")).data[0]?.id);
}

async function pricesOf(
  installed: InstalledDaemon,
  id: string,
  resolution: keyof Truth,
): Promise<Map<string, unknown>> {
  const days = resolution === "hour" ? 300 : 85;
  const from = formatInstant(calendar.day(Date.now() - days * DAY_MS).start);
  const to = formatInstant(calendar.day(Date.now() + 2 * DAY_MS + HOUR_MS).start);
  const { data } = await asked(installed, `/me/addresses/${id}/prices?from=${from}&to=${to}&resolution=${resolution}`);
  return new Map(data.map((row) => [row.start, row.totalPricePerKWh]));
}
