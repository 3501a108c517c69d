/** Addresses of the demo account, with the consumption and solar panels of each home. */

import { SERVICE_ZONE } from "../core/time/calendar.ts";
import { type Address, type Capability, capabilityNames } from "../service/contract/resources.ts";
import type { Region } from "./regions.ts";

export const homeNames = ["danish", "swedish", "norwegian"] as const;
export type HomeName = (typeof homeNames)[number];

interface HomeTraits {
  readonly region: Region;
  /** Constant consumption: fridge, router, standby. */
  readonly baseWatts: number;
  /** Heating power on a cold day. */
  readonly heatingWatts: number;
  /** Peak power of the solar panels; 0 for a home without panels. */
  readonly solarWatts: number;
  readonly latitude: number;
  readonly longitude: number;
}

export interface SimulatedHome extends HomeTraits {
  readonly name: HomeName;
  readonly address: Address;
}

export const demoHomes: Readonly<Record<HomeName, SimulatedHome>> = {
  danish: home(
    "danish",
    { region: "DK1", baseWatts: 190, heatingWatts: 900, solarWatts: 6_000, latitude: 56.16, longitude: 10.2 },
    {
      id: "5d0c9f0e-6a1b-4c5e-9b64-1f1f4a7e2d01",
      label: "Home",
      formattedAddress: "Strandvejen 12, 8000 Aarhus C, Denmark",
      gridOperatorName: "Vestnet Elnet",
      supplierName: "Brobyg Energi",
    },
    capabilityNames,
  ),
  swedish: home(
    "swedish",
    { region: "SE4", baseWatts: 70, heatingWatts: 1_400, solarWatts: 0, latitude: 55.7, longitude: 13.19 },
    {
      id: "b7f3a1c4-2f58-4e0d-8a37-93c5d6e8f002",
      label: "Stugan",
      formattedAddress: "Storgatan 5, 222 20 Lund, Sweden",
    },
    ["consumption", "prices", "forecastPrices"],
  ),
  norwegian: home(
    "norwegian",
    { region: "NO2", baseWatts: 0, heatingWatts: 0, solarWatts: 0, latitude: 58.25, longitude: 8.38 },
    {
      id: "e2a94d77-0b6c-4d19-bf52-7a60c1d3e003",
      label: "Hytta",
      formattedAddress: "Bryggeveien 3, 4790 Lillesand, Norway",
    },
    ["prices"],
  ),
};

/** Returns the home of account `number`, from 1: a copy of the first account's with another id and label. */
export function homeOfAccount(home: SimulatedHome, number: number): SimulatedHome {
  const { id, label } = home.address;
  const own = { id: `${id.slice(0, -ACCOUNT_DIGITS)}${number.toString(16).padStart(ACCOUNT_DIGITS, "0")}` };
  return { ...home, address: { ...home.address, ...own, label: `${label} ${number}` } };
}

/** Hexadecimal digits at the end of an id that distinguish the homes of other accounts. */
const ACCOUNT_DIGITS = 8;

type Place = Pick<Address, "id" | "label" | "formattedAddress"> &
  Partial<Pick<Address, "gridOperatorName" | "supplierName">>;

function home(name: HomeName, traits: HomeTraits, place: Place, available: readonly Capability[]): SimulatedHome {
  const { gridOperatorName = null, supplierName = null, ...others } = place;
  const flags = capabilityNames.map((capability) => [capability, available.includes(capability)]);
  const address = {
    ...others,
    region: traits.region,
    timeZone: SERVICE_ZONE,
    gridOperatorName,
    supplierName,
    capabilities: Object.fromEntries(flags) as Address["capabilities"],
  };
  return { name, address, ...traits };
}
