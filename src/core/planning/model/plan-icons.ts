/** Icon of an appliance by its name in the configuration, as Home Assistant names it. */
export const planIcons = {
  plug: "mdi:power-plug-outline",
  dishwasher: "mdi:dishwasher",
  washing_machine: "mdi:washing-machine",
  dryer: "mdi:tumble-dryer",
  car: "mdi:car-electric",
  hot_water: "mdi:water-boiler",
  heat_pump: "mdi:heat-pump",
  floor_heating: "mdi:heating-coil",
  freezer: "mdi:fridge-outline",
  battery: "mdi:home-battery",
  pool: "mdi:pool",
  light: "mdi:lightbulb",
} as const;
export type PlanIconName = keyof typeof planIcons;
export const planIconNames = Object.keys(planIcons) as readonly PlanIconName[];
