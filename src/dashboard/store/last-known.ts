/** What the page keeps in the browser for times without the daemon: the last homes, prices and plans. */

import { ownJson } from "../../core/text/own-json.ts";
import type { Prices } from "../timeline.ts";
import type { Plan, Session } from "./answers.ts";
import { keep, kept } from "./browser-storage.ts";

/** Name of the kept data, and of the kept files of the page. */
export const KEPT = "elbro";
const NAME = "last";

interface LastKnown {
  readonly session: Session;
  readonly prices: readonly (readonly [home: string, prices: Prices])[];
  readonly plans: readonly Plan[];
  /** Time when it was read. Unit: epoch ms of the daemon's clock. */
  readonly at: number;
  /** Difference of the daemon's clock to this device's. */
  readonly skewMs: number;
}

/** Returns whether the page may be kept: it came by HTTPS or from this machine, and is not inside Home Assistant. */
export function mayKeep(): boolean {
  return globalThis.isSecureContext && !location.pathname.includes("/hassio_ingress/");
}

export function keepLast(last: LastKnown): void {
  // Another version of the page may expect other data.
  if (mayKeep()) keep(NAME, JSON.stringify({ ...last, of: import.meta.url }));
}

/** Returns what was kept by this version of the page; null without it. */
export function lastKnown(): LastKnown | null {
  const last = ownJson(kept(NAME) ?? "") as (LastKnown & { readonly of: string }) | undefined;
  return last?.of === import.meta.url ? last : null;
}

/** Deletes what is kept: after a log-out, and when the key is no longer valid. */
export function forgetLast(): void {
  if (!mayKeep()) return;
  keep(NAME, null);
  void caches.delete(KEPT);
}
