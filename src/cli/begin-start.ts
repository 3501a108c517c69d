/** Begins a start: after two in a row that ended abnormally, sets aside what came last. */
import { runningDaemon } from "../api/socket.ts";
import { ConfigurationFiles } from "../config/editing/configuration-files.ts";
import type { Clock } from "../core/runtime/clock.ts";
import { errorMessage } from "../core/text/error-words.ts";
import type { EpochMs } from "../core/time/interval.ts";
import type { DaemonOptions } from "../daemon.ts";
import { readWhole, writeWhole } from "../storage/atomic-file.ts";
import { databasePathIn } from "../storage/open-storage.ts";
import { setUploadAside } from "../storage/recovery/recovery.ts";
import { StartRecord } from "../storage/recovery/start-record.ts";

/** Returns the record of this start; null if another daemon uses the data directory, or it cannot be written. */
export async function beginStart(
  dataDir: string,
  clock: Clock,
  log: Pick<DaemonOptions["log"], "warn">,
): Promise<StartRecord | null> {
  if (await runningDaemon(dataDir).catch(() => null)) return null;
  try {
    const record = new StartRecord(dataDir, clock);
    const since = record.suspectSince;
    if (since === null) return record;
    const upload = setUploadAside(databasePathIn(dataDir), since, clock.now());
    const page = setPageAside(dataDir, since, clock.now());
    record.setAside({ page, upload });
    log.warn(
      { page, upload },
      "elbro ended abnormally twice within ten minutes of its start: what came last is set aside",
    );
    return record;
  } catch (error) {
    log.warn({ reason: errorMessage(error) }, "the record of the starts cannot be used");
    return null;
  }
}

/** Undoes the last change of page.yaml if it is newer. Returns the state of the history that holds it; null without one. */
function setPageAside(dataDir: string, since: EpochMs, now: EpochMs): string | null {
  const files = new ConfigurationFiles(null, dataDir, writeWhole);
  const [last] = files.states();
  const present = readWhole(files.overlayPath);
  if (!last || present === null || Date.parse(last.until) <= since) return null;
  return files.writeOverlay(last.text, present, now);
}
