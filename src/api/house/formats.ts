/** Endpoint `formats`: prices in the formats of other programs. */
import { type FormatName, priceFormats } from "../../core/prices/formats/format-registry.ts";
import { endpoint, HOME_ERRORS } from "../endpoint.ts";
import * as parameter from "../parameters.ts";
import * as s from "../schema.ts";
import { noExportPrices, noPrice, viewNamed } from "./local-source.ts";

const startAndValue = () =>
  s.namedObject("FormatValue", { start: s.instantWithOffset, end: s.instantWithOffset, value: s.perKwh });
const hourAndPrice = () => s.namedObject("FormatHour", { hour: s.instantWithOffset, price: s.perKwh });
const valueAndStart = () => s.namedObject("PowersaverValue", { value: s.perKwh, start: s.instantWithOffset });
const byInstant = () => s.recordOf(s.perKwh);

const names = Object.keys(priceFormats) as FormatName[];

export const formatEndpoints = [
  endpoint("GET /local/v1/formats/:format", "getFormat", "read", {
    summary: "Prices in the format of another program.",
    params: {
      format: parameter.required(s.oneOf(names), "Name of the program.", "evcc"),
      home: parameter.home,
      direction: parameter.direction,
    },
    answer: () =>
      s.oneFitting([
        s.named("EvccFormat", s.list(startAndValue())),
        s.named(
          "NordpoolFormat",
          s.looseObject({
            today: s.list(s.orNull(s.perKwh)),
            tomorrow: s.list(s.orNull(s.perKwh)),
            tomorrow_valid: s.boolean,
            raw_today: s.list(startAndValue()),
            raw_tomorrow: s.list(startAndValue()),
            price_in_cents: s.boolean,
            average: s.orNull(s.perKwh),
            min: s.orNull(s.perKwh),
            max: s.orNull(s.perKwh),
            mean: s.orNull(s.perKwh),
            peak: s.orNull(s.perKwh),
            off_peak_1: s.orNull(s.perKwh),
            off_peak_2: s.orNull(s.perKwh),
          }),
        ),
        s.named(
          "EnergidataserviceFormat",
          s.looseObject({
            raw_today: s.orNull(s.list(hourAndPrice())),
            raw_tomorrow: s.orNull(s.list(hourAndPrice())),
            forecast: s.list(hourAndPrice()),
            tariffs: s.anyObject,
          }),
        ),
        s.namedObject("EmhassFormat", {
          load_cost_forecast: byInstant(),
          prod_price_forecast: s.optional(byInstant()),
        }),
        s.noted(s.strictObject({ raw_today: s.list(startAndValue()), raw_tomorrow: s.list(startAndValue()) }), {
          title: "PredbatFormat",
          maxProperties: 2,
        }),
        s.named(
          "PowersaverFormat",
          s.strictObject({ today: s.list(valueAndStart()), tomorrow: s.list(valueAndStart()) }),
        ),
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
