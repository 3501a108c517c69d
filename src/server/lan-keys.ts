/** Who may ask the LAN API, and how much: local keys, each with two fixed UTC windows of its own. */
import { createHash, timingSafeEqual } from "node:crypto";
import { contractError } from "../contract/errors.ts";
import type { QuotaWindow } from "../contract/limits.ts";
import type { QuotaStanding, WindowStanding } from "../contract/quota-headers.ts";
import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from "../core/interval.ts";
import type { LocalAdmission, LocalArrival } from "./local-route.ts";
import type { Admission, Arrival } from "./mount.ts";

/** A local key as it is kept: never itself, only its digest. */
export interface LanKey {
  readonly name: string;
  readonly sha256: Uint8Array;
  /** Whether it may change settings, beside reading. */
  readonly control?: boolean;
}

const WINDOW_MS = { minute: MINUTE_MS, day: DAY_MS } as const;

/** The digest by which a key is kept and compared. */
export function keyDigest(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

export class LanKeys {
  readonly #keys: readonly LanKey[];
  readonly #limits: Readonly<Record<QuotaWindow, number>>;
  /** Attempts by key and window; one entry each, bounded by the keys. */
  readonly #counts = new Map<string, { start: EpochMs; count: number }>();

  constructor(keys: readonly LanKey[], limits: Readonly<Record<QuotaWindow, number>>) {
    this.#keys = keys;
    this.#limits = limits;
  }

  /** Admits a request that bears a key with quota left. Denied attempts count. */
  admit(arrival: Arrival): Admission {
    const key = this.#keyOf(arrival.authorization);
    if (!key) {
      const reason =
        arrival.authorization === undefined ? "send Authorization: Bearer <key>" : "this key is not known here";
      return { kind: "refused", error: contractError("invalid_token", reason) };
    }
    const minute = this.#count(key.name, "minute", arrival.now);
    const day = this.#count(key.name, "day", arrival.now);
    const quota: QuotaStanding = { minute: minute.standing, day: day.standing };
    const exhausted = [minute, day].filter((window) => window.denied);
    if (exhausted.length === 0) return { kind: "admitted", quota };
    const resetSec = Math.max(...exhausted.map((window) => window.standing.resetSec));
    const retryAfterSec = Math.max(1, resetSec - Math.floor(arrival.now / SECOND_MS));
    return {
      kind: "refused",
      quota,
      error: { ...contractError("rate_limited", "this key's quota is used up"), retryAfterSec },
    };
  }

  /** The same at a route of the LAN's own, which may ask for the scope `control`. */
  admitLocal(arrival: LocalArrival): LocalAdmission {
    const admission = this.admit({ ...arrival, interface: "consumer" });
    if (admission.kind === "refused") return admission;
    const key = this.#keyOf(arrival.authorization);
    if (arrival.scope === "read" || key?.control) return { ...admission, caller: key?.name ?? "" };
    return {
      kind: "refused",
      ...(admission.quota ? { quota: admission.quota } : {}),
      error: contractError("forbidden", "this key may read only; a key with the scope control may do this"),
    };
  }

  /** The key of a name; null where there is none any more. */
  named(name: string): LanKey | null {
    return this.#keys.find((key) => key.name === name) ?? null;
  }

  #keyOf(authorization: string | undefined): LanKey | null {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return null;
    const digest = keyDigest(token);
    let found: LanKey | null = null;
    for (const key of this.#keys) if (timingSafeEqual(key.sha256, digest)) found = key;
    return found;
  }

  #count(
    name: string,
    window: QuotaWindow,
    now: EpochMs,
  ): { readonly standing: WindowStanding; readonly denied: boolean } {
    const start = Math.floor(now / WINDOW_MS[window]) * WINDOW_MS[window];
    const id = `${window} ${name}`;
    const counted = this.#counts.get(id);
    const count = counted?.start === start ? counted.count + 1 : 1;
    this.#counts.set(id, { start, count });
    const limit = this.#limits[window];
    const standing = {
      limit,
      remaining: Math.max(0, limit - count),
      resetSec: (start + WINDOW_MS[window]) / SECOND_MS,
    };
    return { standing, denied: count > limit };
  }
}
