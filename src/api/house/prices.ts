/** Endpoints `now` and `prices`. */

import { createHash } from "node:crypto";
import { message } from "../../core/language/text.ts";
import { priceParts } from "../../core/prices/export-price.ts";
import type { HomeSnapshot } from "../../core/prices/home-snapshot.ts";
import { colors, levels } from "../../core/prices/level.ts";
import { type JudgedPoint, judgedPoints } from "../../core/prices/price-comparison.ts";
import { priceState } from "../../core/prices/price-state.ts";
import { type PricePoint, pointsIn } from "../../core/prices/timeline.ts";
import { rounded } from "../../core/text/rounding.ts";
import { wire } from "../../core/text/wire.ts";
import { type EpochMs, formatInstant, type Interval } from "../../core/time/interval.ts";
import { type LocalError, localError } from "../../http/errors.ts";
import type { LocalAnswer } from "../../http/response.ts";
import { resolutions } from "../../service/contract/resources.ts";
import { endpoint, HOME_ERRORS } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import { instantText, omittable } from "../parameters.ts";
import * as s from "../schema.ts";
import { type LocalSource, noExportPrices, noPrice, type PriceView, viewNamed } from "./local-source.ts";

/** Maximum length of a response in days. Levels and ranks of 14 days of quarters take a few milliseconds. */
const MAX_DAYS = 14;

const level = () => s.orNull(s.named("Level", s.oneOf(levels)));
const startAndPrice = () => s.orNull(s.namedObject("PriceStart", { start: s.instant, price: s.perKwh }));
const figures = () => s.orNull(s.namedObject("PriceFigures", { min: s.perKwh, max: s.perKwh, mean: s.perKwh }));

const parts = () =>
  s.described(
    s.orNull(s.namedObject("PriceParts", { spot: s.perKwh, charges: s.perKwh, vat: s.perKwh })),
    "What the price is made of; null if the service does not state the charges.",
  );

const subject = () =>
  ({
    id: s.text,
    name: s.text,
    kind: s.named("SubjectKind", s.oneOf(["home", "place"])),
    region: s.orNull(s.text),
    resolution: s.named("Resolution", s.oneOf(resolutions)),
    currency: s.orNull(s.text),
    vat_included: s.orNull(s.boolean),
  }) as const;

const viewProperties = () =>
  ({
    ...subject(),
    start: s.orNull(s.instant),
    end: s.orNull(s.instant),
    price: s.orNull(s.perKwh),
    estimate: s.orNull(s.boolean),
    level: level(),
    color: s.orNull(s.named("Color", s.oneOf(colors))),
    cheap: s.orNull(s.boolean),
    rank: s.orNull(s.integer),
    rank_of: s.orNull(s.integer),
    percentile: s.orNull(s.percent),
    percentile_30_days: s.orNull(s.percent),
    previous: startAndPrice(),
    next: startAndPrice(),
    day: figures(),
    rest_of_day: figures(),
    cheapest: s.list(
      s.namedObject("CheapestHours", { hours: s.number, start: s.instant, end: s.instant, mean: s.perKwh }),
    ),
    variable_charges: s.orNull(s.perKwh),
    parts: parts(),
    tariff_changed_on: s.described(
      s.orNull(s.text),
      "Day of the last 30 on which the charges jumped; prices before and after it do not compare.",
    ),
    spot: s.optional(s.orNull(s.described(s.perKwh, "For a place: the spot price in the price."))),
    charges: s.optional(s.orNull(s.described(s.perKwh, "For a place: the charges in the price."))),
    tomorrow_valid: s.boolean,
    tomorrow_mean: s.orNull(s.perKwh),
    tomorrow_published_at: s.orNull(s.instant),
    quarters_repeat_hours: s.boolean,
    until: s.described(s.instant, "Time of the next change of this response."),
  }) as const;
const priceView = () => s.namedObject("PriceView", viewProperties());
const timelinePrice = () =>
  s.namedObject("TimelinePrice", {
    ...s.period,
    price: s.perKwh,
    estimate: s.boolean,
    level: level(),
    rank: s.orNull(s.integer),
    rank_of: s.orNull(s.integer),
    percentile: s.orNull(s.percent),
    parts: parts(),
  });

const nowOfAll = () => s.namedObject("NowOfAll", { now: s.instant, time_zone: s.text, homes: s.list(priceView()) });

const timeline = () =>
  s.namedObject("Timeline", {
    ...subject(),
    time_zone: s.text,
    from: s.instant,
    to: s.instant,
    tomorrow_valid: s.boolean,
    prices: s.list(timelinePrice()),
    doubtful: s.described(
      s.list(s.namedObject("DoubtfulPrice", { ...s.period, price: s.perKwh })),
      "Prices that the service states but that cannot be right: unknown, until a second response states them too.",
    ),
  });

export type NowAnswer = s.ValueOf<typeof nowOfAll>;
export type TimelineAnswer = s.ValueOf<typeof timeline>;

export const priceEndpoints = [
  endpoint("GET /local/v1/now", "getNow", "read", {
    summary: "The current price with its level and rank, and the next price, of one home or place or of all.",
    params: {
      home: parameter.homeAs("The id of a home or of a third-party place; by default all."),
      format: parameter.formatAs("`text` returns only the price of one home or place; `json` is the default."),
    },
    answer: () =>
      s.oneFitting([nowOfAll(), s.namedObject("NowOfOne", { now: s.instant, time_zone: s.text, ...viewProperties() })]),
    text: "the price",
    errors: HOME_ERRORS,
    example: "/local/v1/now?home=home",
    run(source, { home, format }, { now }) {
      const time = { now: formatInstant(now), time_zone: source.calendar.zone };
      if (home === null && !(format === "text")) {
        const views = source.list().flatMap(({ id }) => source.view(id, now) ?? []);
        return { kind: "json", body: { ...time, homes: views.map(viewOf) } };
      }
      const view = viewNamed(source, home, now);
      if (view.kind === "error") return view;
      if (format === "text") return priceAlone(view, now);
      return { kind: "json", body: { ...time, ...viewOf(view) } };
    },
  }),
  endpoint("GET /local/v1/prices", "getTimeline", "read", {
    summary: "One timeline of prices, confirmed and then estimated, each with its level and rank.",
    params: {
      home: parameter.home,
      direction: parameter.direction,
      from: omittable(instantText, "Start; by default midnight of today.", "2026-03-10T00:00:00Z"),
      to: omittable(instantText, "End; by default the end of the known prices.", "2026-03-11T00:00:00Z"),
    },
    answer: timeline,
    errors: ["invalid_parameter", "invalid_range", "range_too_large", "resource_not_found", "not_known"],
    csv: {
      list: "prices",
      columns: `start:time end:time price:{currency}/kWh estimate level rank rank_of percentile:%
        parts.spot:{currency}/kWh parts.charges:{currency}/kWh parts.vat:{currency}/kWh`,
    },
    statuses: { 304: "Not changed since the `ETag` in `If-None-Match`." },
    example: "/local/v1/prices?home=home",
    run(source, params, { now }) {
      const bought = viewNamed(source, params.home, now);
      if (bought.kind === "error") return bought;
      const range = rangeOf(source, params, now);
      if ("kind" in range) return range;
      const sold = params.direction === "export" ? source.exportView(bought, now, range) : null;
      if (params.direction === "export" && !sold) return noExportPrices(bought);
      const view = sold ?? bought;
      const known = sold?.timeline.points ?? source.points(view.id, range, now);
      const points = judgedPoints(known, range, source.calendar, source.thresholds);
      const { id, name, kind, region, resolution, snapshot } = view;
      const { currency, vatIncluded, tomorrowValid } = snapshot;
      const body: TimelineAnswer = wire({
        id,
        name,
        kind,
        currency,
        vatIncluded,
        region,
        resolution,
        timeZone: source.calendar.zone,
        from: range.start,
        to: params.to === null ? (points.at(-1)?.end ?? range.start) : range.end,
        tomorrowValid,
        prices: points.map((point) => pointOf(point, sold ? null : snapshot)),
        doubtful: pointsIn(sold ? [] : view.doubtful, range).map(({ start, end, price }) => ({ start, end, price })),
      });
      const text = JSON.stringify(body);
      const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
      const headers = { ETag: tag, "Cache-Control": "private, no-cache" };
      return { kind: "bytes", bytes: Buffer.from(text), type: "application/json", headers: headers };
    },
  }),
];

/** Returns the price as a plain decimal, or an error if there is no current price. */
function priceAlone(view: PriceView, now: EpochMs): LocalAnswer {
  const { current } = view.snapshot;
  if (!current) return noPrice(view, now);
  const price = rounded(current.price);
  return { kind: "text", text: String(price).includes("e") ? price.toFixed(6) : String(price) };
}

function viewOf(view: PriceView): s.ValueOf<typeof priceView> {
  const { id, name, kind, region, resolution, snapshot, parts } = view;
  const { current, tomorrowValid, tomorrowMean, tomorrowPublishedAt, quartersRepeatHours } = snapshot;
  return {
    id,
    name,
    kind,
    region,
    resolution,
    ...priceState(snapshot),
    ...wire({
      cheap: snapshot.cheap,
      variableCharges: current?.variableCharges ?? null,
      parts: current && partsOf(current, snapshot),
      ...(kind === "place" && { spot: parts?.spot ?? null, charges: parts?.charges ?? null }),
      tomorrowValid,
      tomorrowMean,
      tomorrowPublishedAt,
      quartersRepeatHours,
      until: snapshot.nextChangeAt,
    }),
  };
}

export type PriceRowAnswer = s.ValueOf<typeof timelinePrice>;

/** `bought` is the snapshot with the terms of the prices; null for prices of sold energy, which have no parts. */
function pointOf(point: JudgedPoint, bought: HomeSnapshot | null) {
  const { start, end, price, estimate, level, rank, rankOf, percentile } = point;
  return { start, end, price, estimate, level, rank, rankOf, percentile, parts: bought && partsOf(point, bought) };
}

function partsOf(point: PricePoint, { vatIncluded, home }: HomeSnapshot) {
  return priceParts(point, { vatIncluded, terms: home.exportTerms });
}

function rangeOf({ calendar }: LocalSource, { from, to }: parameter.Range, now: EpochMs): Interval | LocalError {
  const start = from ?? Math.min(calendar.startOf("day", now), to ?? Number.POSITIVE_INFINITY);
  const longest = calendar.shift(start, "day", MAX_DAYS);
  const end = to ?? longest;
  if (end > longest) return localError("range_too_large", message("refused.price_days", { most: MAX_DAYS }));
  return parameter.rangeOrError(start, end);
}
