import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RetainedMessage } from "../../../../src/mqtt/client/message.ts";
import { RetainedPublisher } from "../../../../src/mqtt/client/retained-publisher.ts";
import { RetainingPort } from "../../../support/broker/retaining-port.ts";
import { TestMemory } from "../../../support/storage/test-memory.ts";

const STATUS = "elbro/status";

function publisherOn(memory: TestMemory): RetainedPublisher {
  return new RetainedPublisher(memory, [STATUS]);
}

/** Publisher with a broker that acknowledges on `answer`. */
function attached(
  messages: readonly RetainedMessage[],
  memory = new TestMemory(),
  retained = new Map<string, string>(),
) {
  const publisher = publisherOn(memory);
  const port = new RetainingPort(retained);
  publisher.show(messages);
  publisher.attach(port);
  port.answer();
  return { publisher, port, memory, retained };
}

function state(topic: string, payload: string): RetainedMessage {
  return { topic: `elbro/${topic}`, payload };
}

function document(device: string, components: Readonly<Record<string, string>>): RetainedMessage {
  const entries = Object.entries(components).map(([key, platform]) => [key, { platform, unique_id: key }]);
  const payload = JSON.stringify({ device: { identifiers: [device] }, components: Object.fromEntries(entries) });
  return { topic: `homeassistant/device/${device}/config`, payload };
}

test("a retained publisher sends only changes, and heartbeats every time", () => {
  const pulse: RetainedMessage = { ...state("cheap", "ON"), heartbeat: true };
  const { publisher, port } = attached([state("price", "1"), state("level", "cheap"), pulse]);
  expect(port.topics()).toEqual(["elbro/price", "elbro/level", "elbro/cheap"]);
  port.sent.length = 0;
  publisher.show([state("price", "2"), state("level", "cheap"), pulse]);
  expect(port.topics()).toEqual(["elbro/price", "elbro/cheap"]);
});

test("a retained publisher sends at most `window` messages without acknowledgement, and all arrive", () => {
  const messages = Array.from({ length: 100 }, (_, i) => state(`t${i}`, String(i)));
  const publisher = publisherOn(new TestMemory());
  const port = new RetainingPort(new Map(), 7);
  publisher.show(messages);
  publisher.attach(port);
  expect(port.sent).toHaveLength(7);
  port.answer();
  expect(port.sent).toHaveLength(100);
  expect(port.mostOnTheWay).toBe(7);
});

test("a rejected message does not occupy the window", () => {
  const publisher = publisherOn(new TestMemory());
  const port = new RetainingPort(new Map(), 1);
  publisher.show([state("a", "1"), state("b", "1")]);
  publisher.attach(port);
  port.answer(1, false);
  expect(port.topics()).toEqual(["elbro/a", "elbro/b"]);
});

test("a retained publisher does not clear a document that the broker no longer retains, but clears its states", () => {
  const { publisher, port, retained } = attached([
    state("plug/heater/state", "{}"),
    document("heater", { on: "switch" }),
  ]);
  port.sent.length = 0;
  retained.delete("homeassistant/device/heater/config"); // Home Assistant or its owner has removed the device.
  publisher.show([]);
  port.answer();
  expect(port.topics()).toEqual(["elbro/plug/heater/state"]);
});

test("a retained publisher sends a document without components for a removed device after the broker lost its data", () => {
  const { memory } = attached([document("heater", { on: "switch", reason: "sensor" }), state("price", "1")]);
  const { publisher, port } = attached([state("price", "1")], memory, new Map());
  const withdrawn = {
    device: { identifiers: ["heater"] },
    origin: { name: "elbro" },
    components: { on: { platform: "switch" }, reason: { platform: "sensor" } },
  };
  const sent = () => port.transient.map(({ topic, payload }) => [topic, JSON.parse(payload)]);
  expect(sent()).toEqual([["homeassistant/device/heater/config", withdrawn]]);
  publisher.repeat(); // Home Assistant connects.
  port.answer();
  expect(sent()).toHaveLength(2);
  expect(sent()[1]).toEqual(sent()[0]);
  expect(port.topics()).not.toContain("homeassistant/device/heater/config");
});

test("a retained publisher asks the broker about a cleared document for every new reader, and sends nothing if it is not retained", () => {
  const { publisher, port, retained } = attached([state("price", "1"), document("heater", { on: "switch" })]);
  publisher.show([state("price", "1")]);
  port.answer();
  for (let births = 1; births <= 2; births++) {
    port.sent.length = 0;
    publisher.repeat();
    publisher.repeat();
    port.answer();
    expect(port.asked).toHaveLength(1 + births);
    expect(new Set(port.topics())).toEqual(new Set(["elbro/price"]));
  }
  retained.set("homeassistant/device/heater/config", "{}"); // As in the broker's last saved file.
  publisher.repeat();
  port.answer();
  expect([...retained.keys()]).toEqual(["elbro/price"]);
});

test("a retained publisher clears nothing before the first state is shown", () => {
  const { memory, retained } = attached([state("home", "1")]);
  const next = publisherOn(memory);
  const port = new RetainingPort(retained);
  next.attach(port);
  expect(port.sent).toEqual([]);
  next.show([state("home", "1")]);
  expect(port.topics()).toEqual(["elbro/home"]);
});

test("a retained publisher sends urgent messages before the whole state is known, without clearing topics", () => {
  const memory = new TestMemory();
  const { retained } = attached([state("price", "1"), state("level", "cheap")], memory);
  const publisher = publisherOn(memory);
  const port = new RetainingPort(retained);
  publisher.showFirst([state("price", "2")]);
  publisher.attach(port);
  port.answer();
  expect(port.topics()).toEqual(["elbro/price"]);
  expect(retained.get("elbro/level")).toBe("cheap");
  publisher.show([state("price", "2")]);
  port.answer();
  expect(port.topics()).toEqual(["elbro/price", "elbro/level"]);
  expect(retained.has("elbro/level")).toBe(false);
});

test("a retained publisher ignores acknowledgements of an earlier connection", () => {
  const publisher = publisherOn(new TestMemory());
  const [old, next] = [new RetainingPort(new Map(), 1), new RetainingPort(new Map(), 1)];
  publisher.show([state("a", "1"), state("b", "1"), state("c", "1")]);
  publisher.attach(old);
  publisher.attach(next);
  old.answer();
  expect([old.topics(), next.topics()]).toEqual([["elbro/a"], ["elbro/a"]]);
});

test("a retained publisher forgets topics that were cleared long ago, so that another program may use them", () => {
  const { memory, retained } = attached([state("old", "1")]);
  const { publisher } = attached([state("new", "1")], memory, retained);
  publisher.age();
  publisher.age();
  retained.set("elbro/old", "somebody else's by now");
  const { port } = attached([state("new", "1")], memory, retained);
  expect(port.topics()).toEqual(["elbro/new"]);
  expect(retained.get("elbro/old")).toBe("somebody else's by now");
});

test("a retained publisher clears the status topic of an earlier base topic, never its own", () => {
  const { memory, retained } = attached([state("home", "1")]);
  retained.set(STATUS, "offline");
  const same = attached([state("home", "1")], memory, retained);
  expect(same.port.topics()).not.toContain(STATUS);
  const renamed = new RetainedPublisher(memory, ["power/status"]);
  const port = new RetainingPort(retained);
  renamed.show([{ topic: "power/home", payload: "1" }]);
  renamed.attach(port);
  port.answer();
  expect([...retained.keys()]).toEqual(["power/home"]);
});

test("a retained publisher sends a removed component once with its platform only, then omits it", () => {
  const { publisher, port } = attached([document("d", { price: "sensor", cheap: "binary_sensor" })]);
  port.sent.length = 0;
  publisher.show([document("d", { price: "sensor" })]);
  port.answer();
  const components = port.sent.map(({ payload }) => JSON.parse(payload).components);
  expect(components).toEqual([
    { price: { platform: "sensor", unique_id: "price" }, cheap: { platform: "binary_sensor" } },
    { price: { platform: "sensor", unique_id: "price" } },
  ]);
});

test("a retained publisher removes a component on its old platform before it changes to another", () => {
  const { publisher, port } = attached([document("d", { cheap: "sensor" })]);
  port.sent.length = 0;
  publisher.show([document("d", { cheap: "binary_sensor" })]);
  port.answer();
  expect(port.sent.map(({ payload }) => JSON.parse(payload).components.cheap.platform)).toEqual([
    "sensor",
    "binary_sensor",
  ]);
});

test("a retained publisher removes a component that an earlier version published, again at each birth of Home Assistant for a while", () => {
  const { memory, retained } = attached([document("d", { price: "sensor", retired: "sensor" })]);
  const upgrade = attached([document("d", { price: "sensor" })], memory, retained);
  expect(upgrade.port.sent).toHaveLength(2);
  upgrade.publisher.repeat();
  upgrade.port.answer();
  expect(upgrade.port.sent).toHaveLength(4);
  expect(upgrade.port.sent.at(-1)).toEqual(upgrade.port.sent[1]);
  upgrade.publisher.age();
  upgrade.publisher.age();
  upgrade.publisher.repeat();
  upgrade.port.answer();
  expect(upgrade.port.sent).toHaveLength(5);
  const restart = attached([document("d", { price: "sensor" })], memory, retained);
  expect(restart.port.sent).toHaveLength(1);
});

test("a retained publisher sends expiring states again after their document, because its change makes them unavailable in Home Assistant", () => {
  const expiring = (name: string): RetainedMessage => {
    const components = {
      price: { platform: "sensor", state_topic: "elbro/home/state", expire_after: 4_000 },
      usage: { platform: "sensor", state_topic: "elbro/home/usage" },
    };
    return { topic: "homeassistant/device/home/config", payload: JSON.stringify({ device: { name }, components }) };
  };
  const states = [state("home/state", "1"), state("home/usage", "2")];
  const { publisher, port } = attached([...states, expiring("Home")]);
  port.sent.length = 0;
  publisher.show([...states, expiring("House")]);
  port.answer();
  expect(port.topics()).toEqual(["homeassistant/device/home/config", "elbro/home/state"]);
});

test("a retained publisher writes nothing to disk while topics do not change", () => {
  const messages = [document("d", { price: "sensor" }), state("price", "1")];
  const { publisher, port, memory } = attached(messages);
  const before = memory.writes;
  for (let i = 0; i < 50; i++) {
    publisher.show([document("d", { price: "sensor" }), state("price", String(i % 2))]);
    port.answer();
  }
  expect(memory.writes).toBe(before);
});

const topic = fc.constantFrom("a", "b", "c", "d");
/** Topics of a home; one of them is the document of a device. */
const topicOf = (name: string) => (name === "d" ? "homeassistant/device/d/config" : `elbro/${name}`);
const house = fc.dictionary(topic, fc.constantFrom("", "1", "2"));
const event = fc.oneof(
  fc.record({ kind: fc.constant("show" as const), house }),
  fc.record({
    kind: fc.constantFrom(...(["attach", "detach", "crash", "repeat", "age", "brokerLoses", "brokerSaves"] as const)),
  }),
  fc.record({ kind: fc.constant("answer" as const), most: fc.integer({ min: 1, max: 3 }) }),
);

test("after any changes, failures and restarts the broker holds exactly the shown state and topics of others", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), house, (events, last) => {
      const memory = new TestMemory();
      const retained = new Map([["other/daemon", "theirs"]]);
      let saved = new Map(retained);
      let publisher = publisherOn(memory);
      let port = new RetainingPort(retained, 2);
      const messagesOf = (wanted: Readonly<Record<string, string>>) =>
        Object.entries(wanted).map(([name, payload]) => ({ topic: topicOf(name), payload }));
      const attach = () => {
        port = new RetainingPort(retained, 2);
        publisher.attach(port);
      };
      for (const step of events) {
        if (step.kind === "show") publisher.show(messagesOf(step.house));
        else if (step.kind === "attach") attach();
        else if (step.kind === "detach") publisher.detach();
        else if (step.kind === "answer") port.answer(step.most);
        else if (step.kind === "repeat") publisher.repeat();
        else if (step.kind === "age") {
          // An hour passes, in which the broker saves its data.
          saved = new Map(retained);
          publisher.age();
        } else if (step.kind === "brokerSaves") saved = new Map(retained);
        else if (step.kind === "brokerLoses") {
          publisher.detach();
          retained.clear();
          for (const [name, payload] of saved) retained.set(name, payload);
        } else publisher = publisherOn(memory);
      }
      publisher.show(messagesOf(last));
      attach();
      port.answer();
      const wanted = Object.entries(last).filter(([, payload]) => payload !== "");
      expect(Object.fromEntries(retained)).toEqual({
        "other/daemon": "theirs",
        ...Object.fromEntries(wanted.map(([name, payload]) => [topicOf(name), payload])),
      });
    }),
    { numRuns: 500 },
  );
});

describe("a state in parts", () => {
  const homes = ["a", "b"];

  test("a state in parts is sent with urgent messages of all parts first", () => {
    const publisher = publisherOn(new TestMemory());
    const port = new RetainingPort(new Map(), 1);
    publisher.attach(port);
    for (const home of ["a", "b", "c"])
      publisher.show([state(`${home}/prices`, "[]"), { ...state(`${home}/price`, "1"), urgent: true }], home);
    port.answer();
    expect(port.topics().slice(1)).toEqual(
      ["b/price", "c/price", "a/prices", "b/prices", "c/prices"].map((topic) => `elbro/${topic}`),
    );
  });

  test("a state in parts clears nothing until all parts were shown; a removed part is cleared, also after a restart", () => {
    const { memory, retained } = inParts(homes);
    const publisher = publisherOn(memory);
    const port = new RetainingPort(retained);
    publisher.attach(port);
    publisher.show([state("b/price", "1"), state("b/level", "x")], "b");
    port.answer();
    expect(retained.has("elbro/a/price")).toBe(true);
    publisher.keepParts(new Set(["b"]));
    port.answer();
    expect([...retained.keys()].sort()).toEqual(["elbro/b/level", "elbro/b/price"]);
  });
});

/** Returns a publisher that shows two topics for each home, all acknowledged by the broker. */
function inParts(homes: readonly string[]) {
  const memory = new TestMemory();
  const retained = new Map<string, string>();
  const publisher = publisherOn(memory);
  const port = new RetainingPort(retained);
  publisher.attach(port);
  for (const home of homes) publisher.show([state(`${home}/price`, "1"), state(`${home}/level`, "x")], home);
  publisher.keepParts(new Set(homes));
  port.answer();
  port.sent.length = 0;
  return { publisher, port, memory, retained };
}
