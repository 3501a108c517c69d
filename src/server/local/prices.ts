/** `now`, `prices` and the neighbours' formats. */
import { createHash } from "node:crypto";
import { priceFormats } from "../../core/prices/formats/format-registry.ts";
import { type JudgedPoint, judgedPoints } from "../../core/prices/price-comparison.ts";
import { priceState } from "../../core/prices/price-state.ts";
import { rounded } from "../../core/text/rounding.ts";
import { type EpochMs, formatInstant, type Interval } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../http/errors.ts";
import { holdsTag } from "../http/negotiation.ts";
import type { LocalAnswer } from "../http/response.ts";
import type { LocalRequest } from "../http/route.ts";
import type { LocalParams } from "./parameters.ts";
import type { LocalSource, PriceView } from "./port.ts";

/** The longest that is told at once: two weeks of quarters take a few milliseconds to judge. */
const MAX_DAYS = 14;

export function answerNow(
  source: LocalSource,
  { home, format }: LocalParams<"now">,
  request: LocalRequest,
): LocalAnswer {
  const { now } = request;
  const time = { now: formatInstant(now), time_zone: source.calendar.zone };
  if (home === null && !(format === "text")) {
    const views = source.list().flatMap(({ id }) => source.view(id, now) ?? []);
    return { kind: "json", body: { ...time, homes: views.map(viewOf) } };
  }
  const view = viewNamed(source, home, now);
  if (view.kind === "error") return view;
  if (format === "text") return priceAlone(view, now);
  return { kind: "json", body: { ...time, ...viewOf(view) } };
}

/** A plain decimal; without a price no number is said at all. */
function priceAlone(view: PriceView, now: EpochMs): LocalAnswer {
  const { current } = view.snapshot;
  if (!current) return noPrice(view, now);
  const price = rounded(current.price);
  return { kind: "text", text: String(price).includes("e") ? price.toFixed(6) : String(price) };
}

function viewOf(view: PriceView): object {
  const { snapshot, parts } = view;
  const { current } = snapshot;
  return {
    id: view.id,
    name: view.name,
    kind: view.kind,
    region: view.region,
    resolution: view.resolution,
    ...priceState(snapshot),
    cheap: snapshot.cheap,
    variable_charges: current?.variableCharges ?? null,
    ...(view.kind === "place" ? { spot: figure(parts?.spot), charges: figure(parts?.charges) } : {}),
    tomorrow_valid: snapshot.tomorrowValid,
    tomorrow_mean: figure(snapshot.tomorrowMean),
    tomorrow_published_at: snapshot.tomorrowPublishedAt === null ? null : formatInstant(snapshot.tomorrowPublishedAt),
    quarters_repeat_hours: snapshot.quartersRepeatHours,
    until: formatInstant(snapshot.nextChangeAt),
  };
}

export function answerPrices(source: LocalSource, params: LocalParams<"prices">, request: LocalRequest): LocalAnswer {
  const { now, headers } = request;
  const view = viewNamed(source, params.home, now);
  if (view.kind === "error") return view;
  const range = rangeOf(source, params, now);
  if ("kind" in range) return range;
  const points = judgedPoints(source.points(view.id, range, now), range, source.calendar, source.thresholds);
  const body = {
    id: view.id,
    name: view.name,
    kind: view.kind,
    currency: view.snapshot.currency,
    vat_included: view.snapshot.vatIncluded,
    region: view.region,
    resolution: view.resolution,
    time_zone: source.calendar.zone,
    from: formatInstant(range.start),
    to:
      params.to === null
        ? points.length > 0
          ? lastEnd(points)
          : formatInstant(range.start)
        : formatInstant(range.end),
    tomorrow_valid: view.snapshot.tomorrowValid,
    prices: pointsOf(points),
  };
  const text = JSON.stringify(body);
  const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const told = { ETag: tag, "Cache-Control": "private, no-cache" };
  if (holdsTag(headers["if-none-match"], tag)) return { kind: "text", text: "", status: 304, headers: told };
  return { kind: "bytes", bytes: Buffer.from(text), type: "application/json", headers: told };
}

/** Most points begin where the one before ends: a text that was written for the one serves the other. */
function pointsOf(points: readonly JudgedPoint[]): object[] {
  let written: { readonly at: EpochMs; readonly text: string } | null = null;
  return points.map(({ start, end, price, estimate, level, rank, rankOf, percentile }) => {
    const startText = written?.at === start ? written.text : formatInstant(start);
    written = { at: end, text: formatInstant(end) };
    return {
      start: startText,
      end: written.text,
      price: rounded(price),
      estimate,
      level,
      rank,
      rank_of: rankOf,
      percentile,
    };
  });
}

function lastEnd(points: readonly JudgedPoint[]): string {
  return formatInstant(points.at(-1)?.end ?? 0);
}

function rangeOf({ calendar }: LocalSource, { from, to }: LocalParams<"prices">, now: EpochMs): Interval | LocalError {
  const start = from ?? Math.min(calendar.startOf("day", now), to ?? Number.POSITIVE_INFINITY);
  const longest = calendar.shift(start, "day", MAX_DAYS);
  const end = to ?? longest;
  if (end <= start)
    return localError("invalid_range", `to (${formatInstant(end)}) is not after from (${formatInstant(start)})`);
  if (end > longest)
    return localError(
      "range_too_large",
      `more than ${MAX_DAYS} days; ask in smaller parts, or for history at /consumer/v1`,
    );
  return { start, end };
}

export function answerFormat(source: LocalSource, params: LocalParams<"format">, request: LocalRequest): LocalAnswer {
  const { now } = request;
  const view = viewNamed(source, params.home, now);
  if (view.kind === "error") return view;
  // Programs take an old list for a price list; an error they take for what it is.
  if (!view.snapshot.current) return noPrice(view, now);
  const made = priceFormats[params.format];
  return { kind: "json", body: made({ snapshot: view.snapshot, calendar: source.calendar, region: view.region }) };
}

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

function noPrice({ name, snapshot }: PriceView, now: EpochMs): LocalError {
  const next = snapshot.next ? `; the next begins at ${formatInstant(snapshot.next.start)}` : "";
  return {
    ...localError("not_known", `no price of ${name} is known for ${formatInstant(now)}${next}`),
    retryAfterSec: ASK_AGAIN_SEC,
  };
}

function figure(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : rounded(value);
}
