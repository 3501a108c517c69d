/** Endpoint `formats`: prices in the formats of other programs. */
import { type FormatName, priceFormats } from "../core/prices/formats/format-registry.ts";
import { type Endpoint, endpoint, HOME_ERRORS } from "./endpoint.ts";
import { noExportPrices, noPrice, viewNamed } from "./local-source.ts";
import * as parameter from "./parameters.ts";
import {
  anyObject,
  boolean,
  list,
  localInstant,
  looseObject,
  named,
  noted,
  object,
  oneFitting,
  optional,
  orNull,
  perKwh,
  recordOf,
  strictObject,
} from "./schema.ts";

const startAndValue = () => named("FormatValue", object({ start: localInstant, end: localInstant, value: perKwh }));
const hourAndPrice = () => named("FormatHour", object({ hour: localInstant, price: perKwh }));
const byInstant = () => recordOf(perKwh);

const names = Object.keys(priceFormats) as FormatName[];

export const formatEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "GET",
    path: "/local/v1/formats/:format",
    operationId: "getFormat",
    scope: "read",
    summary: "Prices in the format of another program.",
    params: {
      format: { in: "path", kind: parameter.oneOf(names), about: "Name of the program.", example: "evcc" },
      home: parameter.home,
      direction: parameter.direction,
    },
    answer: () =>
      oneFitting([
        named("EvccFormat", list(startAndValue())),
        named(
          "NordpoolFormat",
          looseObject({
            ...{ today: list(orNull(perKwh)), tomorrow: list(orNull(perKwh)), tomorrow_valid: boolean },
            ...{ raw_today: list(startAndValue()), raw_tomorrow: list(startAndValue()), price_in_cents: boolean },
            ...{ average: orNull(perKwh), min: orNull(perKwh), max: orNull(perKwh), mean: orNull(perKwh) },
            ...{ peak: orNull(perKwh), off_peak_1: orNull(perKwh), off_peak_2: orNull(perKwh) },
          }),
        ),
        named(
          "EnergidataserviceFormat",
          looseObject({
            raw_today: orNull(list(hourAndPrice())),
            raw_tomorrow: orNull(list(hourAndPrice())),
            forecast: list(hourAndPrice()),
            tariffs: anyObject,
          }),
        ),
        named("EmhassFormat", object({ load_cost_forecast: byInstant(), prod_price_forecast: optional(byInstant()) })),
        noted(strictObject({ raw_today: list(startAndValue()), raw_tomorrow: list(startAndValue()) }), {
          title: "PredbatFormat",
          maxProperties: 2,
        }),
      ]),
    errors: HOME_ERRORS,
    example: "/local/v1/formats/evcc?home=home",
    run(source, { home, format, direction }, { now }) {
      const bought = viewNamed(source, home, now);
      if (bought.kind === "error") return bought;
      // EMHASS gets both lists in any direction.
      const view = direction === "export" && format !== "emhass" ? source.exportView(bought, now) : bought;
      if (!view) return noExportPrices(bought);
      // Other programs would use an outdated list as current prices, but they recognize an error.
      const { snapshot, region } = view;
      // evcc keeps no tariff that failed at its start, and waits for the first slot of a list.
      if (!snapshot.current && !(format === "evcc" && snapshot.next)) return noPrice(view, now);
      const sold = () => source.exportView(bought, now)?.timeline ?? null;
      const body = priceFormats[format]({ snapshot, calendar: source.calendar, region, sold });
      return { kind: "json", body };
    },
  }),
];
