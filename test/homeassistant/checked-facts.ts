/** What has to be true of elbro in Home Assistant. */
import type { Checks } from "./checks.ts";
import { announcedComponents, differences, shownEntities } from "./entities.ts";
import type { HomeAssistant, LogLine } from "./home-assistant.ts";
import type { Protocol } from "./mqtt-integration.ts";
import { implausible } from "./plausible.ts";
import { expectedRows, PLAN, PLUG_IDS, type PlayedHouse } from "./played-house.ts";
import { until } from "./until.ts";

/** elbro asks the simulator for what the rows show, within the service's quota. */
const COLLECTED_WITHIN_MS = 120_000;
export const SHOWN_WITHIN_MS = 15_000;
/** Home Assistant connects again ten seconds after it lost a broker. */
export const BACK_WITHIN_MS = 60_000;
/** Home Assistant's keep-alive is a minute, and a broker waits one and a half. */
const SILENCE_WITHIN_MS = 180_000;
const MAX_NAMED = 8;

/** Loggers whose complaints are about what elbro publishes. */
const WATCHED =
  /^homeassistant\.(components\.(mqtt|sensor|binary_sensor|number|text|switch|button|recorder|automation|blueprint|script|template)|helpers)/;
/** What Home Assistant says of a broker that is gone, in a test that ends it. */
const BROKER_GONE =
  /connection was lost|Disconnected from MQTT|Failed to connect to MQTT|No ACK from MQTT|Error talking to MQTT/;

export interface Seen {
  readonly home: HomeAssistant;
  readonly house: PlayedHouse;
  readonly protocol: Protocol;
}

/** Shape: number of entities. */
export async function checkEntities(checks: Checks, { home, house }: Seen): Promise<number> {
  let count = 0;
  await checks.check("every row of the entity tables is in Home Assistant", async () => {
    const { value } = await until("rows", COLLECTED_WITHIN_MS, async () => {
      const shown = await shownEntities(home);
      const missing = [...expectedRows().keys()].filter((id) => !shown.has(id));
      if (missing.length > 0) throw new Error(named(missing));
      return shown;
    });
    return `${expectedRows().size} rows of ${value.size} entities`;
  });
  await checks.check("every row has a plausible state", async () => {
    await until("plausible", COLLECTED_WITHIN_MS, async () => {
      const shown = await shownEntities(home);
      const wrong = [...expectedRows()].flatMap(
        ([id, row]) => implausible(row, shown.get(id)?.state ?? "missing", Date.now()) ?? [],
      );
      if (wrong.length > 0) throw new Error(named(wrong));
      return true;
    });
    return undefined;
  });
  await checks.check("every announced entity shows the published value", async () => {
    const { value } = await until("same values", SHOWN_WITHIN_MS, async () => {
      const components = announcedComponents(house.topics);
      const shown = await shownEntities(home);
      const wrong = differences(components, shown, house.topics);
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
    "hours set in Home Assistant are the plan's, and come back",
    () => home.act("number.set_value", hours, { value: 3.5 }),
    async () => published().hours === 3.5 && (await home.state(hours)).state === "3.5",
  );
  const readyBy = await entityId(home, "ready_by");
  await changes(
    "a time set in Home Assistant is the plan's",
    () => home.act("text.set_value", readyBy, { value: "05:45" }),
    async () => published().ready_by === "05:45" && (await home.state(readyBy)).state === "05:45",
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
      `${action} on Enabled is the plan's`,
      () => home.act(action, enabled),
      async () => published().enabled === value && (await home.state(enabled)).state === state,
    );
}

export async function checkAvailability(checks: Checks, { home, house, protocol }: Seen): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await checks.check(`after ${signal} every entity is unavailable`, async () => {
      await house.end(signal);
      const { seconds } = await until("all unavailable", SHOWN_WITHIN_MS, () => allAre(home, "unavailable"));
      return `after ${seconds.toFixed(1)} s`;
    });
    await checks.check(`after the start that follows ${signal} every entity is available`, async () => {
      await house.up();
      const { seconds } = await until("all available", BACK_WITHIN_MS, () => allAre(home, "available"));
      return `after ${seconds.toFixed(1)} s`;
    });
    await checks.check(`after the start that follows ${signal} the values are the published ones`, async () => {
      await whenSame({ home, house, protocol });
      return undefined;
    });
  }
}

/** A program that hangs: its keep-alive, or Home Assistant's where the broker hangs with it, has to find out. */
export async function checkSilence(checks: Checks, { home, house }: Seen): Promise<void> {
  await checks.check("while the program hangs every entity is unavailable", async () => {
    house.signal("SIGSTOP");
    const { seconds } = await until("all unavailable", SILENCE_WITHIN_MS, () => allAre(home, "unavailable"));
    return `after ${seconds.toFixed(1)} s`;
  });
  await checks.check("when it goes on every entity is available", async () => {
    house.signal("SIGCONT");
    const { seconds } = await until("all available", BACK_WITHIN_MS, () => allAre(home, "available"));
    return `after ${seconds.toFixed(1)} s`;
  });
}

/** A plug that is taken out of the configuration leaves Home Assistant, and nothing else does. */
export async function checkRemoval(checks: Checks, { home, house }: Seen): Promise<void> {
  await checks.check("a plug that is no longer configured leaves Home Assistant", async () => {
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

/** Home Assistant's log and its repairs. `brokerEnded`: complaints of a lost broker are in order. */
export async function checkLog(
  checks: Checks,
  { home, protocol }: Seen,
  { brokerEnded }: { readonly brokerEnded: boolean },
): Promise<void> {
  const when = brokerEnded ? "after the restarts" : "before the restarts";
  await checks.check(`no warning or error of elbro's entities in the log ${when}`, async () => {
    const complaints = home
      .complaints()
      .filter((line) => isOurs(line) && !(brokerEnded && BROKER_GONE.test(line.text)));
    if (complaints.length > 0)
      throw new Error(named(complaints.map(({ level, logger, text }) => `${level} ${logger} ${text}`)));
    return `${home.complaints().length} complaints of other parts`;
  });
  await checks.check(`no repair of MQTT ${when}`, async () => {
    const { issues } = await home.socket.ask<{ issues: { domain: string; issue_id: string }[] }>({
      type: "repairs/list_issues",
    });
    const ids = issues.filter(({ domain }) => domain === "mqtt").map(({ issue_id }) => issue_id);
    const others = ids.filter((id) => !(protocol === "3.1.1" && id === "protocol_5_migration"));
    if (others.length > 0) throw new Error(named(others));
    return ids.length === 0 ? undefined : `but ${ids.join(", ")}, which protocol ${protocol} raises`;
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

/** Waits until every entity is available. Returns the time it took, in seconds. */
export async function whenAvailable({ home }: Seen, withinMs: number): Promise<number> {
  return (await until("all available", withinMs, () => allAre(home, "available"))).seconds;
}

/** Waits until every entity shows what elbro publishes. */
export async function whenSame({ home, house }: Seen): Promise<void> {
  await until("same values", SHOWN_WITHIN_MS, async () => {
    const wrong = differences(announcedComponents(house.topics), await shownEntities(home), house.topics);
    if (wrong.length > 0) throw new Error(named(wrong));
    return true;
  });
}

async function allAre(home: HomeAssistant, wanted: "available" | "unavailable"): Promise<number | undefined> {
  const entities = [...(await shownEntities(home)).values()];
  const others = entities.filter(({ state }) => (state === "unavailable") !== (wanted === "unavailable"));
  if (others.length > 0) throw new Error(`${others.length} are not: ${named(others.map((each) => each.entityId))}`);
  return entities.length;
}

function named(list: readonly string[]): string {
  const more = list.length > MAX_NAMED ? ` and ${list.length - MAX_NAMED} more` : "";
  return list.slice(0, MAX_NAMED).join("; ") + more;
}
