/** Checks elbro's entities, commands and availability in Home Assistant, and Home Assistant's log. */
import type { Checks } from "./checks.ts";
import { announcedComponents, differences, shownEntities } from "./entities.ts";
import type { HomeAssistant, LogLine } from "./home-assistant.ts";
import type { Protocol } from "./mqtt-integration.ts";
import { expectedRows, PLAN, PLUG_IDS, type PlayedHouse } from "./played-house.ts";
import { until } from "./until.ts";

/** Time limit to fetch the data of all rows from the simulator, within the quota. */
const COLLECTED_WITHIN_MS = 120_000;
export const SHOWN_WITHIN_MS = 15_000;
/** Time limit after a restart. Home Assistant reconnects 10 s after it lost the broker. */
export const BACK_WITHIN_MS = 60_000;
/** Home Assistant's MQTT keep-alive is 60 s, and a broker waits 1.5 times as long. */
const SILENCE_WITHIN_MS = 180_000;
const MAX_NAMED = 8;

/** Loggers whose complaints are about what elbro publishes. */
const WATCHED =
  /^homeassistant\.(components\.(mqtt|sensor|binary_sensor|number|text|time|switch|button|recorder|automation|blueprint|script|template)|helpers)/;
/** Expected log messages of Home Assistant in a test that stops the broker. */
const BROKER_GONE =
  /connection was lost|Disconnected from MQTT|Failed to connect to MQTT|No ACK from MQTT|Error talking to MQTT/;

/** Keys of rows that may be unknown in this test, with the reasons. */
const MAY_BE_UNKNOWN: Readonly<Record<string, string>> = {
  tomorrow_mean: "tomorrow's prices come at about 13:00",
  tomorrow_published_at: "tomorrow's prices come at about 13:00",
  next_start: "a plan that is done has no next run",
  next_end: "a plan that is done has no next run",
  saving: "a plan without runs saves nothing",
  saving_per_kwh: "a plan without runs saves nothing",
  saving_now_per_kwh: "a plan that has started cannot start now",
  mean_price: "a plan without runs has no price",
  cost: "a plan without runs costs nothing",
  max_price: "is not set",
  wanted: "a hand may have switched the plug",
};

export type Seen = { readonly home: HomeAssistant; readonly house: PlayedHouse; readonly protocol: Protocol };

/** Checks all entities. Returns their number. */
export async function checkEntities(checks: Checks, { home, house }: Seen): Promise<number> {
  let count = 0;
  await checks.check("Home Assistant has an entity for every row of the entity tables", async () => {
    const { value } = await until("rows", COLLECTED_WITHIN_MS, async () => {
      const shown = await shownEntities(home);
      const missing = [...expectedRows().keys()].filter((id) => !shown.has(id));
      if (missing.length > 0) throw new Error(named(missing));
      return shown;
    });
    return `${expectedRows().size} rows of ${value.size} entities`;
  });
  await checks.check("every enabled row has a known state, except for a named reason", async () => {
    await until("known", COLLECTED_WITHIN_MS, async () => {
      const shown = await shownEntities(home);
      const unknown = [...expectedRows()].filter(([id]) => shown.get(id)?.state === "unknown").map(([, row]) => row);
      const wrong = unknown.filter(({ key, platform }) => !(/button|event/.test(platform) || key in MAY_BE_UNKNOWN));
      if (wrong.length > 0) throw new Error(named(wrong.map(({ key }) => key)));
      return true;
    });
    return undefined;
  });
  await checks.check("every announced entity has the announced id and shows the published value", async () => {
    const { value } = await until("same values", SHOWN_WITHIN_MS, async () => {
      const components = announcedComponents(house.topics);
      const shown = await shownEntities(home);
      const others = components.filter(({ unique_id, default_entity_id: id }) => shown.get(unique_id)?.entityId !== id);
      const wrong = [...differences(components, shown, house.topics), ...others.map(({ unique_id }) => unique_id)];
      if (wrong.length > 0) throw new Error(named(wrong));
      return shown;
    });
    count = value.size;
    const unknown = [...value.values()].filter(({ state }) => state === "unknown").length;
    return `${count} entities, ${unknown} of them unknown`;
  });
  await checks.check("no entity is unavailable", async () => {
    const { value } = await until("all available", SHOWN_WITHIN_MS, () => allAre(home, "available"));
    return `${value} entities`;
  });
  return count;
}

export async function checkCommands(checks: Checks, { home, house }: Seen): Promise<void> {
  const hours = await entityId(home, "hours");
  const signal = await entityId(home, "on");
  const changes = async (what: string, act: () => Promise<void>, look: () => Promise<boolean>) => {
    await checks.check(what, async () => {
      await act();
      const { seconds } = await until(what, SHOWN_WITHIN_MS, async () => ((await look()) ? true : undefined));
      return `after ${seconds.toFixed(1)} s`;
    });
  };
  const published = () => house.topics.json(`${PLAN.topic}/entities`);
  await changes(
    "hours set in Home Assistant change the plan, and its entity shows them",
    () => home.act("number.set_value", hours, { value: 3.5 }),
    async () => published().hours === 3.5 && (await home.state(hours)).state === "3.5",
  );
  const readyBy = await entityId(home, "ready_by");
  await changes(
    "a time set in Home Assistant changes the plan",
    () => home.act("time.set_value", readyBy, { time: "05:45:00" }),
    async () => published().ready_by === "05:45" && (await home.state(readyBy)).state === "05:45:00",
  );
  await changes(
    "Run now switches the signal on in Home Assistant",
    async () => home.act("button.press", await entityId(home, "run_now")),
    async () => house.topics.payload(PLAN.topic) === "ON" && (await home.state(signal)).state === "on",
  );
  await changes(
    "Stop switches the signal off in Home Assistant",
    async () => home.act("button.press", await entityId(home, "stop")),
    async () => house.topics.payload(PLAN.topic) === "OFF" && (await home.state(signal)).state === "off",
  );
  const enabled = await entityId(home, "enabled");
  for (const [action, value, state] of [
    ["switch.turn_off", false, "off"],
    ["switch.turn_on", true, "on"],
  ] as const)
    await changes(
      `${action} on Enabled changes the plan`,
      () => home.act(action, enabled),
      async () => published().enabled === value && (await home.state(enabled)).state === state,
    );
}

export async function checkAvailability(checks: Checks, { home, house, protocol }: Seen): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await checks.check(`every entity is unavailable after ${signal}`, async () => {
      await house.end(signal);
      const { seconds } = await until("all unavailable", SHOWN_WITHIN_MS, () => allAre(home, "unavailable"));
      return `after ${seconds.toFixed(1)} s`;
    });
    await checks.check(`every entity is available after the restart that follows ${signal}`, async () => {
      await house.up();
      const { seconds } = await until("all available", BACK_WITHIN_MS, () => allAre(home, "available"));
      return `after ${seconds.toFixed(1)} s`;
    });
    await checks.check(`entities show the published values after the restart that follows ${signal}`, async () => {
      await whenSame({ home, house, protocol });
      return undefined;
    });
  }
}

/** Checks a suspended program. The broker's keep-alive detects it, or Home Assistant's with the embedded broker. */
export async function checkSilence(checks: Checks, { home, house }: Seen): Promise<void> {
  await checks.check("every entity is unavailable while the program is suspended", async () => {
    house.signal("SIGSTOP");
    const { seconds } = await until("all unavailable", SILENCE_WITHIN_MS, () => allAre(home, "unavailable"));
    return `after ${seconds.toFixed(1)} s`;
  });
  await checks.check("every entity is available after the program is resumed", async () => {
    house.signal("SIGCONT");
    const { seconds } = await until("all available", BACK_WITHIN_MS, () => allAre(home, "available"));
    return `after ${seconds.toFixed(1)} s`;
  });
}

/** Checks that a plug removed from the configuration is removed from Home Assistant, and that nothing else is. */
export async function checkRemoval(checks: Checks, { home, house }: Seen): Promise<void> {
  await checks.check("a plug removed from the configuration is removed from Home Assistant", async () => {
    const before = [...(await shownEntities(home)).keys()];
    await house.end("SIGTERM");
    await house.up({ plug: false });
    const { seconds } = await until("gone", BACK_WITHIN_MS, async () => {
      const shown = await shownEntities(home);
      const gone = before.filter((id) => !shown.has(id));
      const wanted = before.filter((id) => id.startsWith(PLUG_IDS));
      return gone.join() === wanted.join() ? true : undefined;
    });
    return `after ${seconds.toFixed(1)} s`;
  });
}

/** Checks Home Assistant's log and repairs. With `brokerEnded`, messages about a lost broker are ignored. */
export async function checkLog(
  checks: Checks,
  { home, protocol }: Seen,
  { brokerEnded }: { readonly brokerEnded: boolean },
): Promise<void> {
  const when = brokerEnded ? "after the restarts" : "before the restarts";
  await checks.check(`the log has no warning or error about elbro ${when}`, async () => {
    const complaints = home
      .complaints()
      .filter((line) => isOurs(line) && !(brokerEnded && BROKER_GONE.test(line.text)));
    if (complaints.length > 0)
      throw new Error(named(complaints.map(({ level, logger, text }) => `${level} ${logger} ${text}`)));
    return `${home.complaints().length} complaints of other parts`;
  });
  await checks.check(`the MQTT integration reports no repair issue ${when}`, async () => {
    const { issues } = await home.socket.ask<{ issues: { domain: string; issue_id: string }[] }>({
      type: "repairs/list_issues",
    });
    const ids = issues.filter(({ domain }) => domain === "mqtt").map(({ issue_id }) => issue_id);
    const others = ids.filter((id) => !(protocol === "3.1.1" && id === "protocol_5_migration"));
    if (others.length > 0) throw new Error(named(others));
    return ids.length === 0 ? undefined : `except ${ids.join(", ")}, expected with protocol ${protocol}`;
  });
}

function isOurs({ logger, text }: LogLine): boolean {
  return WATCHED.test(logger) || /mqtt|elbro/i.test(text);
}

async function entityId(home: HomeAssistant, key: string): Promise<string> {
  const uniqueId = `elbro_${PLAN.home}_plan_${PLAN.id}-${key}`;
  const entity = (await shownEntities(home)).get(uniqueId);
  if (!entity) throw new Error(`${uniqueId} is not in Home Assistant`);
  return entity.entityId;
}

/** Waits until every entity is available. Returns the elapsed time in seconds. */
export async function whenAvailable({ home }: Seen, withinMs: number): Promise<number> {
  return (await until("all available", withinMs, () => allAre(home, "available"))).seconds;
}

/** Waits until every entity shows the published value. */
export async function whenSame({ home, house }: Seen): Promise<void> {
  await until("same values", SHOWN_WITHIN_MS, async () => {
    const wrong = differences(announcedComponents(house.topics), await shownEntities(home), house.topics);
    if (wrong.length > 0) throw new Error(named(wrong));
    return true;
  });
}

/** Returns the number of enabled entities. Rejects if one is not as `wanted`. */
async function allAre(home: HomeAssistant, wanted: "available" | "unavailable"): Promise<number | undefined> {
  const entities = [...(await shownEntities(home)).values()].filter(({ state }) => state !== "disabled");
  const others = entities.filter(({ state }) => (state === "unavailable") !== (wanted === "unavailable"));
  if (others.length > 0) throw new Error(`${others.length} are not: ${named(others.map((each) => each.entityId))}`);
  return entities.length;
}

function named(list: readonly string[]): string {
  const more = list.length > MAX_NAMED ? ` and ${list.length - MAX_NAMED} more` : "";
  return list.slice(0, MAX_NAMED).join("; ") + more;
}
