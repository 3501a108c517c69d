/** Entities of a place of the third-party interface. */
import { colors, levels } from "../../core/prices/level.ts";
import type { PlaceSnapshot } from "../../core/prices/place-snapshot.ts";
import { cheapestRows } from "./cheapest-rows.ts";
import type { Device, EntityRow } from "./entity.ts";

type Row = EntityRow<PlaceSnapshot>;

/** Returns the device of a place. */
export function placeDevice(snapshot: PlaceSnapshot): Device<PlaceSnapshot> {
  const { id, name, currency } = snapshot.place;
  return { id, name, model: "Place", via: null, rows: placeRows, state: snapshot, currency };
}

const PRICE = { platform: "sensor", unit: "perKwh", precision: 2, icon: "mdi:cash", needs: "spot" } as const;

/** Every entity of a place. */
export const placeRows: readonly Row[] = [
  {
    key: "spot",
    name: "spot_price",
    about: "The current spot price.",
    value: ({ current }) => current?.spot ?? null,
    ...PRICE,
    stateClass: "measurement",
    expires: true,
  },
  {
    key: "price",
    name: "price",
    about: "The current price, including charges.",
    value: ({ current }) => (current && current.charges !== null ? current.price : null),
    ...PRICE,
    stateClass: "measurement",
    expires: true,
    exists: ({ hasCharges }) => hasCharges,
  },
  {
    key: "charges",
    name: "charges",
    about: "The charges in the current price.",
    value: ({ current }) => current?.charges ?? null,
    ...PRICE,
    exists: ({ hasCharges }) => hasCharges,
  },
  {
    key: "color",
    name: "price_color",
    about: "Colour that the service suggests for the current price.",
    platform: "sensor",
    value: ({ current }) => current?.color ?? null,
    deviceClass: "enum",
    options: colors,
    icon: "mdi:traffic-light",
    needs: "spot",
    expires: true,
    exists: ({ hasColor }) => hasColor,
  },
  {
    key: "level",
    name: "price_level",
    about: "Level of the current price compared with the mean of the known prices of the last three days.",
    platform: "sensor",
    value: ({ level }) => level,
    deviceClass: "enum",
    options: levels,
    icon: "mdi:speedometer",
    needs: "spot",
    expires: true,
  },
  {
    key: "cheap",
    name: "cheap_now",
    about: "ON while the level is cheap or very cheap.",
    platform: "binary_sensor",
    value: ({ cheap }) => cheap,
    icon: "mdi:cash-check",
    needs: "spot",
    expires: true,
  },
  ...cheapestRows<PlaceSnapshot>("the known prices", ({ cheapest }) => cheapest),
  {
    key: "next_price",
    name: "next_price",
    about: "The next known price; the spot price if charges are not known.",
    platform: "sensor",
    value: ({ next }) => next?.price ?? null,
    unit: "perKwh",
    precision: 2,
    icon: "mdi:cash",
  },
  {
    key: "prices",
    name: "prices",
    about: "Number of known prices from now on; its attributes hold the prices.",
    platform: "sensor",
    value: ({ upcoming }) => upcoming.length,
    icon: "mdi:chart-bar",
    attributes: "prices",
  },
];
