/** Checks the blueprints in Home Assistant: imports them, creates automations, and runs them with elbro's entities. */
import { copiedFiles } from "../support/docs/copied-files.ts";
import { createAutomation, importBlueprint, RecordedActions, tells } from "./automations.ts";
import { BACK_WITHIN_MS, type Seen, SHOWN_WITHIN_MS, whenAvailable, whenSame } from "./checked-facts.ts";
import type { Checks } from "./checks.ts";
import { shownEntities } from "./entities.ts";
import type { HomeAssistant } from "./home-assistant.ts";
import { COMMANDED_PLAN, localTime } from "./played-house.ts";
import { until } from "./until.ts";

const BATTERY = "sensor.test_battery";
const WATER = "sensor.test_water";
const ALL = ["appliance", "prices", "tomorrow", "water", "car", "late", "van", "hasty_appliance", "hasty_prices"];
const SHORT_PATIENCE = { seconds: 3 };
/** Computed once, because a minute may pass between the creation of the automation and the check. */
const CAR_READY_BY = localTime(12);
/** Matches actions of automations with the default `patience`, which is longer than any restart. */
const ANY = /^(?!.*hasty)/;

type Device = { readonly id: string; readonly identifiers: readonly (readonly [string, string])[] };

/** elbro's entities and devices, used as inputs of the blueprints. */
class Chosen {
  readonly #ids: ReadonlyMap<string, string>;
  readonly #devices: readonly Device[];

  constructor(ids: ReadonlyMap<string, string>, devices: readonly Device[]) {
    this.#ids = ids;
    this.#devices = devices;
  }

  static async from({ home }: Seen): Promise<Chosen> {
    const shown = await shownEntities(home);
    const ids = new Map([...shown.values()].map(({ uniqueId, entityId }) => [uniqueId, entityId]));
    return new Chosen(ids, await home.socket.ask<Device[]>({ type: "config/device_registry/list" }));
  }

  /** Returns an entity id. `key` is for instance `home-price` or `home_plan_car-hours`. */
  entity(key: string): string {
    const id = this.#ids.get(`elbro_${key}`);
    if (id === undefined) throw new Error(`elbro_${key} is not in Home Assistant`);
    return id;
  }

  /** Returns the registry id of the device of a plan of the first home. */
  plan(id: string): string {
    const wanted = `elbro_home_plan_${id}`;
    const device = this.#devices.find(({ identifiers }) => identifiers.some(([, each]) => each === wanted));
    if (!device) throw new Error(`the device ${wanted} is not in Home Assistant`);
    return device.id;
  }
}

/** State that `checkBlueprintRestarts` continues with. */
export type RunningBlueprints = { readonly chosen: Chosen; readonly actions: RecordedActions };

/** Imports every blueprint, creates automations, and checks them without restarts. */
export async function checkBlueprints(checks: Checks, seen: Seen): Promise<RunningBlueprints> {
  const { home } = seen;
  const paths = new Map<string, string>();
  await checks.check("Home Assistant imports every blueprint", async () => {
    for (const file of copiedFiles("home-assistant/blueprints"))
      paths.set(/(\w+)\.yaml$/.exec(file)?.[1] ?? file, await importBlueprint(home, file));
    return [...paths.keys()].join(", ");
  });
  const chosen = await Chosen.from(seen);
  const actions = await RecordedActions.start(home);
  const limit = chosen.entity("home_plan_water_heater-max_price");
  const price = async (value: number) => {
    await home.act("number.set_value", limit, { value });
    await until("shown", SHOWN_WITHIN_MS, async () => Number((await home.state(limit)).state) === value || undefined);
  };
  await home.show(WATER, "70", { device_class: "temperature", unit_of_measurement: "°C" });
  await home.show(BATTERY, "20", { unit_of_measurement: "%" });
  await price(1);
  await checks.check("an automation of every blueprint starts and acts on the present states", async () => {
    for (const [name, blueprint, input] of automationsOf(chosen))
      await createAutomation(home, name, { path: paths.get(blueprint) ?? blueprint, input });
    await actions.settle(ALL);
    await actions.expect(/^prices/, ["prices above"]);
    await actions.expect(/ (appliance|heater|charger)$/, [
      "turn_off appliance",
      "turn_off heater",
      ...["turn_off charger", "turn_off charger", "turn_off charger"],
    ]);
    return `${ALL.length} automations`;
  });
  await checks.check("run_appliance switches with the plan's signal", async () => {
    actions.clear();
    await press(home, chosen, "run_now");
    await actions.expect(/ appliance$/, ["turn_on appliance"]);
    await press(home, chosen, "stop");
    await actions.expect(/ appliance$/, ["turn_on appliance", "turn_off appliance"]);
    return undefined;
  });
  await checks.check(
    "heat_water heats while the signal is on and the water is below its limit, and cold water at any time",
    async () => {
      await actions.settle(ALL);
      actions.clear();
      await home.show(WATER, "50");
      await actions.expect(/ heater$/, ["turn_off heater"]);
      await press(home, chosen, "run_now");
      await actions.expect(/ heater$/, ["turn_off heater", "turn_on heater"]);
      await press(home, chosen, "stop");
      await actions.expect(/ heater$/, ["turn_off heater", "turn_on heater", "turn_off heater"]);
      await home.show(WATER, "41");
      await actions.expect(/ heater$/, ["turn_off heater", "turn_on heater", "turn_off heater", "turn_on heater"]);
      return undefined;
    },
  );
  await checks.check("negative_prices runs its two actions alternately", async () => {
    actions.clear();
    for (const value of [2, -1, -2, 1, -1]) await price(value);
    await actions.settle(ALL);
    await actions.expect(/^prices/, ["prices below", "prices above", "prices below"]);
    return undefined;
  });
  await checks.check("tomorrows_prices runs once when tomorrow's prices arrive", async () => {
    const available = chosen.entity("home_plan_water_heater-enabled");
    await home.act("switch.turn_off", available);
    await until("off", SHOWN_WITHIN_MS, async () => (await home.state(available)).state === "off" || undefined);
    await home.act("switch.turn_on", available);
    await actions.expect(/^tomorrow/, ["tomorrow 0"]);
    return undefined;
  });
  await checkCar(checks, seen, { chosen, actions });
  return { chosen, actions };
}

async function press(home: HomeAssistant, chosen: Chosen, button: string): Promise<void> {
  await home.act("button.press", chosen.entity(`home_plan_washing_machine-${button}`));
}

/** Returns name, blueprint and input of each automation. */
function automationsOf(chosen: Chosen): readonly (readonly [string, string, object])[] {
  const washing = chosen.plan("washing_machine");
  const price = chosen.entity("home_plan_water_heater-max_price");
  const mean = chosen.entity("home-day_mean");
  const car = (plugged: string, plan: string, departure: string, capacity: number) => ({
    plugged_in: `input_boolean.${plugged}`,
    charger: { entity_id: "input_boolean.charger" },
    battery: BATTERY,
    capacity,
    departure: `${departure}:00`,
    plan: chosen.plan(plan),
    when_impossible: [tells(`${plugged}: {{ reason }}`)],
  });
  const appliance = (name: string, patience?: object) => ({
    plan: washing,
    appliance: { entity_id: `input_boolean.${name}` },
    ...(patience && { patience }),
  });
  const prices = (name: string, patience?: object) => ({
    // A number entity that the test can change, instead of a price.
    price,
    when_below: [tells(`${name} below`)],
    when_above: [tells(`${name} above`)],
    ...(patience && { patience }),
  });
  return [
    ["appliance", "run_appliance", appliance("appliance")],
    ["hasty_appliance", "run_appliance", appliance("hasty_appliance", SHORT_PATIENCE)],
    ["prices", "negative_prices", prices("prices")],
    ["hasty_prices", "negative_prices", prices("hasty_prices", SHORT_PATIENCE)],
    [
      "tomorrow",
      "tomorrows_prices",
      {
        tomorrow_available: chosen.entity("home_plan_water_heater-enabled"),
        tomorrow_mean: mean,
        today_mean: mean,
        actions: [tells("tomorrow {{ dearer_by }}")],
      },
    ],
    [
      "water",
      "heat_water",
      {
        cheap: chosen.entity("home_plan_washing_machine-on"),
        temperature: WATER,
        heater: { entity_id: "input_boolean.heater" },
      },
    ],
    ["car", "charge_car", car("plugged", "car", CAR_READY_BY, 60)],
    ["late", "charge_car", car("late_plugged", "late_car", localTime(12), 60)],
    ["van", "charge_car", car("van_plugged", "van", localTime(9), 130)],
  ];
}

async function checkCar(checks: Checks, { home, house }: Seen, { chosen, actions }: RunningBlueprints): Promise<void> {
  const plug = (name: string) => home.act("input_boolean.turn_on", `input_boolean.${name}`);
  const unplug = (name: string) => home.act("input_boolean.turn_off", `input_boolean.${name}`);
  const published = (plan: string) => house.topics.json(`elbro/home/plan/${plan}/entities`);
  await checks.check("charge_car sets the plan's hours and end when the car is plugged in", async () => {
    await plug("plugged");
    // 60 % of 60 kWh at 10 kW are 3.6 hours.
    await until("set", SHOWN_WITHIN_MS, () => {
      const { hours, ready_by } = published("car");
      return (hours === 3.75 && ready_by === CAR_READY_BY) || undefined;
    });
    return undefined;
  });
  await checks.check("charge_car switches off when the car is unplugged", async () => {
    await actions.settle(ALL);
    actions.clear();
    await unplug("plugged");
    await actions.expect(/ charger$/, ["turn_off charger"]);
    return undefined;
  });
  await checks.check("charge_car reports once, with the reason, that a plan is impossible", async () => {
    await plug("late_plugged");
    await until("set", SHOWN_WITHIN_MS, () => published("late_car").hours === 3.75 || undefined);
    await actions.settle(ALL);
    actions.clear();
    await home.act("number.set_value", chosen.entity("home_plan_late_car-max_price"), { value: -10 });
    await until("impossible", SHOWN_WITHIN_MS, () => published("late_car").plan_state === "impossible" || undefined);
    const { reason } = published("late_car");
    await actions.expect(/^late_plugged/, [`late_plugged: ${reason}`]);
    return String(reason);
  });
  await checks.check("charge_car reports an impossible plan again when the car is plugged in again", async () => {
    await unplug("late_plugged");
    await actions.settle(ALL);
    actions.clear();
    await plug("late_plugged");
    await actions.expect(/^late_plugged/, [`late_plugged: ${published("late_car").reason}`]);
    await unplug("late_plugged");
    return undefined;
  });
  await checks.check("charge_car reports a partial plan and the missing hours", async () => {
    const stateIs = (state: string) =>
      until(state, SHOWN_WITHIN_MS, () => published("late_car").plan_state === state || undefined);
    const limit = chosen.entity("home_plan_late_car-max_price");
    await home.act("number.set_value", limit, { value: 20 });
    await stateIs("scheduled");
    await plug("late_plugged");
    await actions.settle(ALL);
    actions.clear();
    // With the mean price as the limit, the more expensive hours are omitted.
    const { mean_price: mean } = house.topics.json("elbro/home/plan/late_car/state");
    await home.act("number.set_value", limit, { value: Math.floor(Number(mean) * 100) / 100 });
    await stateIs("partial");
    const { reason } = published("late_car");
    await actions.expect(/^late_plugged/, [`late_plugged: ${reason}`]);
    if (!/ h missing of 3.75 h/.test(String(reason))) throw new Error(`the message lacks what is missing: ${reason}`);
    await unplug("late_plugged");
    return String(reason);
  });
  await checks.check("charge_car reports that the plan refused its hours", async () => {
    actions.clear();
    await plug("van_plugged");
    await until("refused", SHOWN_WITHIN_MS, () => refusedIn(published("van")) ?? undefined);
    const reason = refusedIn(published("van")) ?? "";
    await actions.expect(/^van_plugged/, [`van_plugged: ${reason}`]);
    await unplug("van_plugged");
    return reason;
  });
  await actions.settle(ALL);
}

function refusedIn(payload: Readonly<Record<string, unknown>>): string | null {
  const { plan_state_attributes: attributes } = payload;
  return (attributes as { readonly refused: string | null } | undefined)?.refused ?? null;
}

/** Checks automations during restarts of elbro and the broker. */
export async function checkBlueprintRestarts(
  checks: Checks,
  seen: Seen,
  { chosen, actions }: RunningBlueprints,
): Promise<void> {
  const { home, house } = seen;
  const signalIs = (payload: string) =>
    until(
      `signal ${payload}`,
      SHOWN_WITHIN_MS,
      () => house.topics.payload(COMMANDED_PLAN.topic) === payload || undefined,
    );
  /** Runs `restart`. Resolves when Home Assistant shows the published values and no automation runs. */
  const across = async (restart: () => Promise<void>) => {
    await actions.settle(ALL);
    actions.clear();
    await restart();
    await whenAvailable(seen, BACK_WITHIN_MS);
    await whenSame(seen);
    await actions.settle(ALL);
  };
  await checks.check("a restart of elbro triggers no action", async () => {
    await home.show(WATER, "50");
    actions.clear();
    await press(home, chosen, "run_now");
    await signalIs("ON");
    await actions.expect(/ appliance$/, ["turn_on appliance"]);
    await across(async () => {
      await house.end("SIGTERM");
      // Longer than the patience of two automations, which act now and again after the restart.
      await actions.expect(/hasty_appliance/, ["turn_off hasty_appliance"]);
      await actions.expect(/hasty_prices/, ["hasty_prices above"]);
      await house.up();
    });
    await actions.expect(ANY, []);
    return undefined;
  });
  await checks.check("automations with a short patience switch off, and on again after the restart", async () => {
    await actions.expect(/hasty_appliance/, ["turn_off hasty_appliance", "turn_on hasty_appliance"]);
    await actions.expect(/hasty_prices/, ["hasty_prices above", "hasty_prices below"]);
    return undefined;
  });
  if (house.hasMosquitto)
    await checks.check("a restart of the broker triggers no action", async () => {
      await across(() => house.restartMosquitto());
      await actions.expect(ANY, []);
      return undefined;
    });
  await checks.check("automations switch off after a restart of elbro during which the plan was disabled", async () => {
    await across(async () => {
      await house.end("SIGKILL");
      await house.up({ isWashingEnabled: false });
    });
    await signalIs("OFF");
    await actions.expect(/ appliance$/, ["turn_off appliance"]);
    await actions.expect(/ heater$/, ["turn_off heater"]);
    await actions.expect(/^prices/, []);
    return undefined;
  });
  await checks.check("a restart of elbro leaves a manually switched appliance on", async () => {
    await home.act("input_boolean.turn_on", "input_boolean.appliance");
    await across(async () => {
      await house.end("SIGKILL");
      await house.up();
    });
    await actions.expect(ANY, []);
    return undefined;
  });
  if (house.hasMosquitto)
    await checks.check("a restart of the broker leaves a manually switched appliance on", async () => {
      await across(() => house.restartMosquitto());
      await actions.expect(ANY, []);
      return undefined;
    });
}
