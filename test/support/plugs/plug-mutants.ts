/** Plug control with one deliberate defect each. The model test must detect every one of them. */
import type { PlugManagerDeps } from "../../../src/plugs/plug-manager.ts";
import type { PlugModel, PlugMutant } from "./plug-model.ts";

type Publish = PlugManagerDeps["publishOnce"];

/** Returns a mutant that changes the messages to the plug. */
function sending(change: (publish: Publish, world: PlugModel) => Publish): PlugMutant {
  return { parts: (parts, world) => ({ ...parts, publishOnce: change(parts.publishOnce, world) }) };
}

const TIMERS = [/PulseTime\d* \d+; /, /,"toggle_after":\d+/, /,"on_time":\d+/, / \d+$/];
const LONGER = /(?<=PulseTime\d* |"toggle_after":|"on_time":|^on )\d+/;

function isOn(world: PlugModel, topic: string, payload: string): boolean | undefined {
  return world.firmware.understand(topic, payload)?.set;
}

/** Suppresses equal commands within 60 s, so that retries are not sent. */
function withoutRepeats(publish: Publish, world: PlugModel): Publish {
  const saidAt = new Map<boolean | undefined, number>();
  return (topic, payload) => {
    const key = isOn(world, topic, payload);
    const isRepeat = world.now - (saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < 60_000;
    saidAt.set(key, world.now);
    return isRepeat ? true : publish(topic, payload);
  };
}

/** Suppresses the OFF commands before the first ON. */
function withoutFirstOff(publish: Publish, world: PlugModel): Publish {
  let wasOn = false;
  return (topic, payload) => {
    wasOn ||= isOn(world, topic, payload) === true;
    return wasOn ? publish(topic, payload) : true;
  };
}

/** Queues commands while the plug is offline and sends them later. */
function queueing(publish: Publish, world: PlugModel): Publish {
  const waiting: [string, string][] = [];
  return (topic, payload) => {
    waiting.push([topic, payload]);
    if (!world.linked) return true;
    for (const [late, text] of waiting.splice(0)) publish(late, text);
    return true;
  };
}

export const plugMutants: Readonly<Record<string, PlugMutant>> = {
  "commands that are retained": { retains: true },
  "ON without a dead-man": sending((publish) => (topic, payload) => {
    return publish(
      topic,
      TIMERS.reduce((text, timer) => text.replace(timer, ""), payload),
    );
  }),
  "a dead-man twice as long": sending((publish) => (topic, payload) => {
    return publish(
      topic,
      payload.replace(LONGER, (seconds) => String(2 * Number(seconds))),
    );
  }),
  "no OFF at the start": sending(withoutFirstOff),
  "no retries": sending(withoutRepeats),
  "commands that wait for the plug": sending(queueing),
  "commands that never expire in the broker": {
    keepsForEver: true,
    setup: { persistentSession: true, minOnMs: 0 },
  },
  "trust that is not asked for": { parts: (parts) => ({ ...parts, trusted: () => true }) },
  "an unknown wish taken for the last one": {
    parts: (parts) => {
      let last: ReturnType<PlugManagerDeps["wanted"]> = null;
      const wanted: PlugManagerDeps["wanted"] = (id, now) => {
        last = parts.wanted(id, now) ?? (last && { ...last, until: null });
        return last;
      };
      return { ...parts, wanted };
    },
  },
  "a plug that comes back is not noticed": {
    hears: (topic) => !/LWT|online$|availability|status$|link$/.test(topic),
  },
  "what a plug tells is not heard": { hears: (topic) => /LWT|online$|availability|status$|link$/.test(topic) },
};
