/** The home or place that a request names. */

import { type EpochMs, formatInstant } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../http/errors.ts";
import type { LocalSource, PriceView } from "./local-source.ts";

/** The home or place that is named, or the only one. */
export function viewNamed(source: LocalSource, home: string | null, now: EpochMs): PriceView | LocalError {
  const known = source.list();
  const ids = known.map(({ id }) => id).join(", ");
  if (known.length === 0)
    return localError("not_known", "no home is known yet: the service has not told its addresses");
  const only = known.length === 1 ? known[0] : undefined;
  const id = home ?? only?.id;
  if (id === undefined) return localError("invalid_parameter", `home: expected one of ${ids}, found nothing`);
  const view = source.view(id, now);
  return view ?? localError("resource_not_found", `there is no home or place "${id}"; there is ${ids}`);
}

/** When asking again makes sense, where nobody knows. */
const ASK_AGAIN_SEC = 60;

/** Error for a home or place without a price now. */
export function noPrice({ name, snapshot }: PriceView, now: EpochMs): LocalError {
  const next = snapshot.next ? `; the next begins at ${formatInstant(snapshot.next.start)}` : "";
  return {
    ...localError("not_known", `no price of ${name} is known for ${formatInstant(now)}${next}`),
    retryAfterSec: ASK_AGAIN_SEC,
  };
}
