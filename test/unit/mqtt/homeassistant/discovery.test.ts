import { describe, expect, test } from "vitest";
import type { PlugSnapshot } from "../../../../src/core/plugs/plug-snapshot.ts";
import { NO_USAGE } from "../../../../src/core/prices/usage.ts";
import type { RetainedMessage } from "../../../../src/mqtt/client/message.ts";
import { Announcer } from "../../../../src/mqtt/homeassistant/announcer.ts";
import { daemonDevice } from "../../../../src/mqtt/homeassistant/daemon-entities.ts";
import { deviceId, entityIdOf, uniqueIdOf } from "../../../../src/mqtt/homeassistant/device-id.ts";
import { announce, type DiscoveryOptions } from "../../../../src/mqtt/homeassistant/discovery.ts";
import { type Device, existsFor, publishedValue } from "../../../../src/mqtt/homeassistant/entity.ts";
import { formatRow, homeDevice, homeRows } from "../../../../src/mqtt/homeassistant/home-entities.ts";
import { placeDevice } from "../../../../src/mqtt/homeassistant/place-entities.ts";
import { planDevice } from "../../../../src/mqtt/homeassistant/plan-entities.ts";
import { plugDevice } from "../../../../src/mqtt/homeassistant/plug-entities.ts";
import { daemonMessages } from "../../../../src/mqtt/topics/daemon-topics.ts";
import { exportMessage } from "../../../../src/mqtt/topics/format-topics.ts";
import { homeMessages } from "../../../../src/mqtt/topics/home-topics.ts";
import { placeMessages } from "../../../../src/mqtt/topics/place-topics.ts";
import { planMessages } from "../../../../src/mqtt/topics/plan-topics.ts";
import { plugMessages } from "../../../../src/mqtt/topics/plug-topics.ts";
import { peakMessages, usageMessages } from "../../../../src/mqtt/topics/usage-topics.ts";
import { shownState } from "../../../support/home/discovery-states.ts";
import { assertDiscovery } from "../../../support/home/discovery-validator.ts";
import {
  daemon,
  emptyHome,
  emptyUsage,
  fullHome,
  fullUsage,
  homeState,
  OPTIONS,
  place,
  retained,
} from "../../../support/home/home-cases.ts";
import { at, calendar, HOME } from "../../../support/home/price-days.ts";
import { planOf, WASHER } from "../../../support/plans/shown-plans.ts";
import { completeLanguages } from "../../../support/sources/all-texts.ts";
import { TestMemory } from "../../../support/storage/test-memory.ts";

type Json = Readonly<Record<string, unknown>>;

/** Test case: a device with all its messages. */
type Case = { readonly name: string; readonly device: Device<never>; readonly tree: RetainedMessage[] };

function caseOf<State>(name: string, device: Device<State>, others: readonly RetainedMessage[]): Case {
  return { name, device: device as unknown as Device<never>, tree: retained(device, others) };
}

function homeCase(name: string, prices = fullHome(), usage = fullUsage()): Case {
  const state = homeState(prices, usage);
  const others = [...homeMessages("elbro", prices), ...usageMessages("elbro", prices.home.id, usage)];
  others.push(...peakMessages("elbro", prices.home.id, state.month));
  if (state.sold)
    others.push(exportMessage("elbro", { snapshot: state.sold, calendar, region: "DK1", sold: () => null }));
  return caseOf(name, homeDevice(state), others);
}

function planCase(name: string, plan: ReturnType<typeof planOf>): Case {
  return caseOf(name, planDevice(plan), planMessages("elbro", plan));
}

const PLUG: PlugSnapshot = {
  id: "heater",
  name: "Heater",
  plan: null,
  on: true,
  wanted: true,
  code: "wanted_on",
  reason: "runs until 03:15",
  available: true,
  silent: false,
  since: at("2026-03-10T13:00:00Z"),
  measured: null,
};
const MEASURED: PlugSnapshot = {
  ...PLUG,
  measured: {
    watts: 1_850,
    month: { start: at("2026-02-28T23:00:00Z"), kwh: 41.25, cost: 61.5, currency: "DKK" },
    monthBefore: { start: at("2026-01-31T23:00:00Z"), kwh: 112.5, cost: null, currency: "DKK" },
  },
};

function plugCase(name: string, plug: PlugSnapshot): Case {
  return caseOf(name, plugDevice(plug), plugMessages("elbro", plug));
}

const cases: readonly Case[] = [
  homeCase("a home that knows everything"),
  homeCase("a home without use", fullHome(), NO_USAGE),
  homeCase("a home whose use is answered and empty", fullHome(), emptyUsage()),
  homeCase("a home without a price now", fullHome(at("2026-03-25T10:00:00Z"))),
  homeCase("a home with use and without prices", emptyHome()),
  homeCase("a home of which nothing is known", emptyHome(), NO_USAGE),
  caseOf("a place with charges", placeDevice(place("charges")), placeMessages("elbro", place("charges"))),
  caseOf("a place with spot prices", placeDevice(place("spot")), placeMessages("elbro", place("spot"))),
  caseOf(
    "a place whose prices are over",
    placeDevice(place("charges", at("2026-03-20T00:00:00Z"))),
    placeMessages("elbro", place("charges", at("2026-03-20T00:00:00Z"))),
  ),
  planCase("a plan that knows when it runs", planOf(WASHER)),
  planCase("a plan without times, energy and hours", planOf({ kind: "below", level: "cheap", enabled: true })),
  planCase("a plan without prices", planOf(WASHER, "none")),
  plugCase("a plug that measures", MEASURED),
  plugCase("a plug that is as it should be", PLUG),
  plugCase("a plug that does not answer", { ...PLUG, on: null, since: null, silent: true, available: false }),
  plugCase("a plug that a hand switched on", { ...PLUG, wanted: null, code: "switched_on_by_hand" }),
  caseOf("a busy daemon", daemonDevice(daemon("busy")), daemonMessages("elbro", daemon("busy"))),
  caseOf("a new daemon", daemonDevice(daemon("new")), daemonMessages("elbro", daemon("new"))),
];

function documentOf(tree: readonly RetainedMessage[]): { availability: Json[]; components: Record<string, Json> } {
  return JSON.parse(tree.find(({ topic }) => topic.endsWith("/config"))?.payload ?? "{}");
}

describe.each(cases)("$name", ({ device, tree }) => {
  const { availability, components } = documentOf(tree);
  const payloads = new Map(tree.map(({ topic, payload }) => [topic, payload]));

  test("is valid for Home Assistant", () => assertDiscovery(tree));

  test("has entities that show the value of their row", () => {
    for (const row of device.rows.filter((each) => existsFor(each, device))) {
      const value = publishedValue(row, device.state);
      const needed = device.rows.find(({ key }) => key === row.needs);
      const missing = needed && publishedValue(needed, device.state) === null;
      const expected = missing ? "unavailable" : value === null ? "unknown" : value;
      const shown = shownState(components[row.key] ?? {}, availability, payloads);
      expect(shown, row.key).toBe(typeof expected === "boolean" ? (expected ? "True" : "False") : String(expected));
    }
  });

  test("has no entities except the existing rows", () => {
    const keys = device.rows.filter((row) => existsFor(row, device)).map(({ key }) => key);
    expect(Object.keys(components)).toEqual(keys);
  });

  test("has expiring entities only on heartbeat topics", () => {
    const beats = new Set(tree.filter(({ heartbeat }) => heartbeat).map(({ topic }) => topic));
    for (const { expire_after, state_topic } of Object.values(components))
      if (expire_after !== undefined) expect(beats).toContain(state_topic);
  });

  test("is unavailable completely when the daemon is disconnected", () => {
    const gone = new Map(payloads).set("elbro/status", "offline");
    for (const component of Object.values(components))
      expect(shownState(component, availability, gone)).toBe("unavailable");
  });
});

test("all devices together have unique ids", () => {
  const homes = cases.filter(({ name }) =>
    ["a home that knows everything", "a place with charges", "a busy daemon"].includes(name),
  );
  assertDiscovery(homes.flatMap(({ tree }) => tree));
});

describe("classes for Home Assistant's statistics:", () => {
  const { components } = documentOf(homeCase("").tree);

  test("the current price is a measurement without device class, other prices have neither", () => {
    expect(components.price).toMatchObject({ state_class: "measurement", unit_of_measurement: "DKK/kWh" });
    expect(components.price).not.toHaveProperty("device_class");
    for (const key of ["next_price", "day_mean", "tomorrow_mean", "rest_min", "variable_charges"]) {
      expect(components[key]).not.toHaveProperty("state_class");
      expect(components[key]).not.toHaveProperty("device_class");
    }
  });

  test("money is a total with last_reset; energy of closed days has no state class", () => {
    expect(components.costs_month).toMatchObject({
      device_class: "monetary",
      state_class: "total",
      unit_of_measurement: "DKK",
    });
    expect(components.consumption_day).toMatchObject({ device_class: "energy", unit_of_measurement: "kWh" });
    expect(components.consumption_day).not.toHaveProperty("state_class");
  });

  test("only price and signals expire", () => {
    const expiring = Object.entries(components).filter(([, each]) => "expire_after" in each);
    expect(expiring.map(([key]) => key)).toEqual(["price", "level", "color", "cheap", "export_price"]);
  });
});

describe("devices", () => {
  const deviceOf = (device: Device<never>, options = OPTIONS) =>
    JSON.parse(announce(options, device, []).message.payload).device as Json;

  test("of plans belong to their home; those of homes, places and plugs belong to the daemon", () => {
    const belongs = Object.fromEntries(cases.map(({ device }) => [device.model, deviceOf(device).via_device]));
    expect(belongs).toEqual({ Home: "elbro", Place: "elbro", Plug: "elbro", Plan: "elbro_home", Daemon: undefined });
    const { device } = planCase("", planOf(WASHER));
    expect(deviceOf(device, { ...OPTIONS, baseTopic: "my/elbro" }).via_device).toBe(deviceId("my/elbro", "home"));
  });

  test("of a plug with the name of its plan belong to the plan's device, with all their own ids", () => {
    const plan = planOf(WASHER);
    const plug = { ...PLUG, name: plan.definition.name, plan: plan.definition.id };
    const own = JSON.parse(announce(OPTIONS, plugDevice(plug), []).message.payload) as Json;
    const { message } = announce(OPTIONS, plugDevice(plug, planDevice(plan)), []);
    const shared = JSON.parse(message.payload) as Json & { device: Json };
    const { device } = JSON.parse(announce(OPTIONS, planDevice(plan), []).message.payload) as { device: Json };
    expect(shared.device).toEqual({ ...device, identifiers: ["elbro_plug_heater", "elbro_home_plan_washer"] });
    // The plan has the reason of the device.
    const components = own.components as Record<string, Json>;
    const reason = { ...components.reason, enabled_by_default: false };
    expect(shared.components).toEqual({ ...components, reason });
    expect(message.topic).toBe("homeassistant/device/elbro_plug_heater/config");
    const other = { ...plan, definition: { ...plan.definition, name: "Other" } };
    expect(deviceOf(plugDevice(plug, planDevice(other)) as unknown as Device<never>).identifiers).toEqual([
      "elbro_plug_heater",
    ]);
  });

  test("link to the dashboard only if its address is configured", () => {
    const { device } = homeCase("");
    expect(deviceOf(device)).not.toHaveProperty("configuration_url");
    const dashboardUrl = "http://192.168.1.5:8080/";
    expect(deviceOf(device, { ...OPTIONS, dashboardUrl }).configuration_url).toBe(dashboardUrl);
  });

  test.each(completeLanguages)("in %s have entities with other names, and no other differences", (language) => {
    for (const { device } of cases) {
      const english = JSON.parse(announce(OPTIONS, device, []).message.payload) as Json;
      const { components, ...rest } = JSON.parse(
        announce({ ...OPTIONS, language }, device, []).message.payload,
      ) as Json;
      const { components: named, ...same } = english;
      const withoutNames = (all: unknown) =>
        Object.fromEntries(Object.entries(all as Json).map(([key, each]) => [key, { ...(each as Json), name: "" }]));
      expect(rest).toEqual(same);
      expect(withoutNames(components)).toEqual(withoutNames(named));
      expect(JSON.stringify(components)).not.toBe(JSON.stringify(named));
    }
  });

  test("of plans have settings in the category config; actions have no category", () => {
    const { components } = documentOf(planCase("", planOf(WASHER)).tree);
    const commanded = Object.entries(components).filter(([, each]) => "command_topic" in each);
    const config = commanded.filter(([, each]) => each.entity_category === "config").map(([key]) => key);
    const actions = commanded.filter(([, each]) => each.entity_category === undefined).map(([key]) => key);
    expect(config).toEqual(["hours", "from", "ready_by", "max_price", "enabled", "reset_settings"]);
    expect(actions).toEqual(["run_now", "skip", "stop", "once"]);
  });
});

test("a request changes no entity of the daemon that is enabled by default, and none of their attributes", () => {
  const before = daemon("busy");
  const quota = { minute: { limit: 60, left: 57, resetsAt: null }, day: null };
  const interfaces = before.interfaces.map((each) => ({ ...each, quota, requestsToday: 11 }));
  const series = before.series.map((each) => ({ ...each, lastSuccessAt: (each.lastSuccessAt ?? 0) + 60_000 }));
  expect(series).not.toEqual([]);
  const after = { ...before, interfaces, series };
  const attributes = new Set(daemonDevice(before).rows.map((row) => `elbro/${row.attributes}`));
  const shownOf = (view: typeof before) => [
    daemonDevice(view).rows.flatMap((row) => (row.isHidden ? [] : [[row.key, publishedValue(row, view)]])),
    daemonMessages("elbro", view).filter(({ topic }) => attributes.has(topic)),
  ];
  expect(shownOf(after)).toEqual(shownOf(before));
  expect(shownOf(before)[1]).toHaveLength(2);
});

test("the problems of the daemon are published with their whole texts", () => {
  const view = daemon("busy");
  const { problems } = JSON.parse(daemonMessages("elbro", view)[1]?.payload ?? "") as { problems: object[] };
  expect(problems[0]).toMatchObject({ code: view.problems[0]?.code, detail: view.problems[0]?.detail });
});

describe("the export price", () => {
  const shownIn = (usage = fullUsage()) => {
    const { availability, components } = documentOf(homeCase("", fullHome(), usage).tree);
    const payloads = new Map(homeCase("", fullHome(), usage).tree.map(({ topic, payload }) => [topic, payload]));
    return components.export_price && shownState(components.export_price, availability, payloads);
  };

  test("the export price is the price without charges and VAT", () => {
    const { current, vatIncluded } = fullHome();
    if (!current) throw new Error("no price now");
    expect([current.variableCharges, vatIncluded]).toEqual([expect.any(Number), true]);
    expect(Number(shownIn())).toBeCloseTo((current.price - (current.variableCharges ?? 0)) / 1.25, 6);
  });

  test("the export price exists only if the service has revenue for the home", () => {
    expect(shownIn({ ...fullUsage(), solarExportRevenue: null })).toBeUndefined();
  });
});

describe("unknown and unavailable", () => {
  const shownOf = (prices = fullHome(), usage = fullUsage()) => {
    const { tree } = homeCase("", prices, usage);
    const { availability, components } = documentOf(tree);
    const payloads = new Map(tree.map(({ topic, payload }) => [topic, payload]));
    return (key: string) => shownState(components[key] ?? {}, availability, payloads);
  };

  test("without a current price, price and signals are unavailable and other values stay", () => {
    const shown = shownOf(fullHome(at("2026-03-18T23:00:00Z")));
    expect(["price", "level", "cheap", "rank"].map(shown)).toEqual(Array(4).fill("unavailable"));
    expect(["next_price", "tomorrow_mean", "day_min"].map(shown)).toEqual(Array(3).fill("unknown"));
    expect(shown("consumption_day")).not.toBe("unavailable");
  });

  test("an estimate counts as a price: the stored forecast keeps the price available", () => {
    const shown = shownOf(fullHome(at("2026-03-15T10:00:00Z")));
    expect(shown("price")).toBe("1.1");
    expect(shown("rank")).toBe("unknown");
  });

  test("usage with an empty response is unknown, never zero", () => {
    const shown = shownOf(fullHome(), emptyUsage());
    expect(["consumption_day", "costs_month", "consumption_year"].map(shown)).toEqual(Array(3).fill("unknown"));
  });
});

describe("times of day", () => {
  test("are texts, or `time` entities with the same unique ids if those are configured", () => {
    const { device } = planCase("", planOf(WASHER));
    const of = (options = OPTIONS) =>
      (JSON.parse(announce(options, device, []).message.payload) as { components: Record<string, Json> }).components;
    const [text, time] = [of(), of({ ...OPTIONS, timeEntities: true })];
    for (const key of ["from", "ready_by"]) {
      expect(text[key]).toMatchObject({ platform: "text", pattern: expect.any(String) });
      expect(time[key]).toMatchObject({ platform: "time", unique_id: text[key]?.unique_id });
      expect(time[key]).not.toHaveProperty("pattern");
    }
    const others = (all: Record<string, Json>) => ({ ...all, from: null, ready_by: null });
    expect(others(time)).toEqual(others(text));
  });

  test.each([
    ["new", [], "time"],
    ["earlier", ["announced/elbro"], "text"],
  ])("of an installation that is %s keep their platform for ever", (_, announced, platform) => {
    const kept = new Map(announced.map((name) => [name, "[]"]));
    const memory = new TestMemory(kept);
    const { device } = planCase("", planOf(WASHER));
    const shown = (options: Partial<DiscoveryOptions> = {}) =>
      JSON.parse(new Announcer({ ...OPTIONS, ...options }, memory).messageOf(device).payload).components.from.platform;
    expect(shown()).toBe(platform);
    memory.write("announced/elbro", "[]");
    expect(shown()).toBe(platform);
    expect([shown({ timeEntities: true }), shown({ timeEntities: false })]).toEqual(["time", "text"]);
  });
});

describe("a missing entity", () => {
  const device = homeDevice(homeState());

  test("without data stays, so that it keeps its history", () => {
    const { announced } = announce(OPTIONS, device, []);
    const later = announce(OPTIONS, homeDevice(homeState(fullHome(), NO_USAGE)), announced);
    expect(JSON.parse(later.message.payload).components).toHaveProperty("consumption_day.unique_id");
  });

  test("of a deleted row is omitted and forgotten", () => {
    const { message, announced } = announce(OPTIONS, device, ["gone_price"]);
    expect(JSON.parse(message.payload).components).not.toHaveProperty("gone_price");
    expect(announced).not.toContain("gone_price");
  });

  test("a missing entity is omitted while its unit is unknown", () => {
    const { message } = announce(OPTIONS, homeDevice(homeState(emptyHome(), NO_USAGE)), ["price", "level"]);
    expect(Object.keys(JSON.parse(message.payload).components)).not.toContain("price");
    expect(Object.keys(JSON.parse(message.payload).components)).toContain("level");
  });

  test("a missing entity is remembered after a restart, and the document is only rebuilt after a change", () => {
    const memory = new TestMemory(new Map([["announced/elbro_home", JSON.stringify(["variable_charges"])]]));
    const announcer = new Announcer({ ...OPTIONS, timeEntities: true }, memory);
    const message = announcer.messageOf(device);
    expect(announcer.messageOf(homeDevice(homeState(fullHome(at("2026-03-10T14:00:00Z")))))).toBe(message);
    expect(memory.writes).toBe(1);
    expect(new Announcer(OPTIONS, memory).messageOf(device)).toEqual(message);
    const renamed = fullHome(at("2026-03-10T14:00:00Z"), { ...HOME, name: "House" });
    expect(announcer.messageOf(homeDevice(homeState(renamed))).payload).toContain('"name":"House"');
  });
});

describe("ids", () => {
  test.each([
    ["elbro", "home", "elbro_home"],
    ["elbro", null, "elbro"],
  ])("base %s and home %s make %s", (base, home, id) => {
    expect(deviceId(base, home)).toBe(id);
  });

  test("of two daemons always differ, even with similar base topics", () => {
    const bases = ["elbro", "elbro_home", "Elbro", "el/bro", "el_bro", "elbro-home"];
    const ids = bases.flatMap((base) => [null, "home", "home_2", "2"].map((home) => deviceId(base, home)));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
  });

  test("of a home's price and another home's next price differ", () => {
    expect(uniqueIdOf(deviceId("elbro", "a"), "next_price")).not.toBe(uniqueIdOf(deviceId("elbro", "a_next"), "price"));
  });

  test("of entities contain only words and underscores", () => {
    expect(entityIdOf("sensor", "elbro_my-home", "price")).toBe("sensor.elbro_my_home_price");
  });

  test("in documents of another base topic are also valid", () => {
    const options = { ...OPTIONS, baseTopic: "my/Elbro" };
    assertDiscovery([homeDevice(homeState())].map((device) => announce(options, device, []).message));
  });
});

test("Home Assistant shows an address for help once elbro has one", () => {
  const originWith = (supportUrl?: string) => {
    const { message } = announce({ ...OPTIONS, supportUrl }, daemonDevice(daemon("new")), []);
    return JSON.parse(message.payload).origin;
  };
  expect(originWith("https://example.org/elbro").support_url).toBe("https://example.org/elbro");
  expect(originWith()).toEqual({ name: "elbro", sw_version: OPTIONS.version });
});

test("a new installation shows at most 15 sensors of a home", () => {
  const sensors = [...homeRows, formatRow].filter(({ platform }) => ["sensor", "binary_sensor"].includes(platform));
  expect(sensors.filter(({ isHidden }) => !isHidden).map(({ key }) => key)).toHaveLength(15);
});
