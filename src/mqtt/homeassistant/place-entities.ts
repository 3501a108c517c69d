/** Entities of a place of the third-party interface. */
import type { PlaceSnapshot } from "../../core/prices/place-snapshot.ts";
import { type Device, type EntityRow, entityRow } from "./entity.ts";
import { cheapestRows, levelRows } from "./price-rows.ts";

const row = entityRow<PlaceSnapshot>;

/** Returns the device of a place. */
export function placeDevice(snapshot: PlaceSnapshot): Device<PlaceSnapshot> {
  const { id, name, currency } = snapshot.place;
  return { id, name, model: "Place", via: null, rows: placeRows, state: snapshot, currency };
}

const FIGURE = { platform: "sensor", unit: "perKwh", precision: 2, icon: "mdi:cash" } as const;
const NOW = { ...FIGURE, needs: "spot" } as const;
const MEASURED = { ...NOW, stateClass: "measurement", expires: true } as const;
const hasCharges = (place: PlaceSnapshot) => place.hasCharges;

const { level, color, cheap } = levelRows<PlaceSnapshot>(
  ({ level, cheap, current }) => ({ level, cheap, color: current?.color ?? null }),
  NOW.needs,
);

/** Every entity of a place. */
export const placeRows: readonly EntityRow<PlaceSnapshot>[] = [
  row("spot", "spot_price", ({ current }) => current?.spot ?? null, MEASURED),
  row("price", "price", ({ current }) => (current && current.charges !== null ? current.price : null), {
    ...MEASURED,
    exists: hasCharges,
  }),
  row("charges", "charges", ({ current }) => current?.charges ?? null, { ...NOW, exists: hasCharges }),
  { ...color, exists: ({ hasColor }) => hasColor },
  level,
  cheap,
  ...cheapestRows<PlaceSnapshot>(({ cheapest }) => cheapest),
  row("next_price", "next_price", ({ next }) => next?.price ?? null, FIGURE),
  row("prices", "prices", ({ upcoming }) => upcoming.length, {
    platform: "sensor",
    icon: "mdi:chart-bar",
    attributes: "prices",
  }),
];
