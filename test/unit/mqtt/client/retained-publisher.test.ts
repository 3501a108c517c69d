import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../../../../src/mqtt/client/message.ts";
import { RetainedPublisher } from "../../../../src/mqtt/client/retained-publisher.ts";
import { RetainingPort, TestMemory } from "../../../support/broker/retaining-port.ts";

const STATUS = "elbro/status";

function publisherOn(memory: TestMemory): RetainedPublisher {
  return new RetainedPublisher(memory, [STATUS]);
}

/** A publisher with a broker that answers at once when told. */
function attached(messages: readonly Message[], memory = new TestMemory(), retained = new Map<string, string>()) {
  const publisher = publisherOn(memory);
  const port = new RetainingPort(retained);
  publisher.show(messages);
  publisher.attach(port);
  port.answer();
  return { publisher, port, memory, retained };
}

function state(topic: string, payload: string): Message {
  return { topic: `elbro/${topic}`, payload };
}

function document(device: string, components: Readonly<Record<string, string>>): Message {
  const entries = Object.entries(components).map(([key, platform]) => [key, { platform, unique_id: key }]);
  const payload = JSON.stringify({ device: { identifiers: [device] }, components: Object.fromEntries(entries) });
  return { topic: `homeassistant/device/${device}/config`, payload };
}

test("only what changed is sent, and heartbeats every time", () => {
  const pulse: Message = { ...state("cheap", "ON"), heartbeat: true };
  const { publisher, port } = attached([state("price", "1"), state("level", "cheap"), pulse]);
  expect(port.topics()).toEqual(["elbro/price", "elbro/level", "elbro/cheap"]);
  port.sent.length = 0;
  publisher.show([state("price", "2"), state("level", "cheap"), pulse]);
  expect(port.topics()).toEqual(["elbro/price", "elbro/cheap"]);
});

test("no more than the window is on its way, and everything arrives", () => {
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

test("a message the broker refuses does not hold a place in the window", () => {
  const publisher = publisherOn(new TestMemory());
  const port = new RetainingPort(new Map(), 1);
  publisher.show([state("a", "1"), state("b", "1")]);
  publisher.attach(port);
  port.answer(1, false);
  expect(port.topics()).toEqual(["elbro/a", "elbro/b"]);
});

test("a topic that is shown no longer is cleared", () => {
  const { publisher, port, retained } = attached([state("old/price", "1"), state("home/price", "1")]);
  publisher.show([state("home/price", "1")]);
  port.answer();
  expect([...retained]).toEqual([["elbro/home/price", "1"]]);
});

test("the document of a removed device is cleared before its states, which its templates read", () => {
  const { publisher, port } = attached([state("plug/heater/state", "{}"), document("heater", { on: "switch" })]);
  port.sent.length = 0;
  publisher.show([]);
  port.answer();
  expect(port.topics()).toEqual(["homeassistant/device/heater/config", "elbro/plug/heater/state"]);
});

test("a document that the broker does not retain any more is not cleared again, its states are", () => {
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

test("a broker that restarts empty: Home Assistant is told that the device has no components any more", () => {
  const { memory } = attached([document("heater", { on: "switch", reason: "sensor" }), state("price", "1")]);
  const { publisher, port } = attached([state("price", "1")], memory, new Map());
  const withdrawn = {
    device: { identifiers: ["heater"] },
    origin: { name: "elbro" },
    components: { on: { platform: "switch" }, reason: { platform: "sensor" } },
  };
  const told = () => port.transient.map(({ topic, payload }) => [topic, JSON.parse(payload)]);
  expect(told()).toEqual([["homeassistant/device/heater/config", withdrawn]]);
  publisher.repeat(); // Home Assistant connects.
  port.answer();
  expect(told()).toHaveLength(2);
  expect(told()[1]).toEqual(told()[0]);
  expect(port.topics()).not.toContain("homeassistant/device/heater/config");
});

test("what an earlier version remembers of cleared topics can be read", () => {
  const memory = new TestMemory();
  memory.write(
    "mqtt_retained",
    JSON.stringify({ topics: {}, cleared: ["homeassistant/device/heater/config", "elbro/old"] }),
  );
  const retained = new Map([["elbro/old", "1"]]);
  const { port } = attached([state("price", "1")], memory, retained);
  expect(port.transient).toEqual([]);
  expect([...retained.keys()]).toEqual(["elbro/price"]);
});

test("for every new reader the broker is asked about a cleared document, and nothing is sent where it has none", () => {
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
  retained.set("homeassistant/device/heater/config", "{}"); // as of the broker's last save
  publisher.repeat();
  port.answer();
  expect([...retained.keys()]).toEqual(["elbro/price"]);
});

test("a document that is wanted again before the broker has answered stays", () => {
  const { publisher, port, retained } = attached([document("heater", { on: "switch" })]);
  publisher.show([]);
  publisher.show([document("heater", { on: "switch" })]);
  port.answer();
  expect([...retained.keys()]).toEqual(["homeassistant/device/heater/config"]);
});

test("an empty payload clears the topic and is sent again on the next connection", () => {
  const { publisher, port, retained } = attached([state("price", "1")]);
  publisher.show([state("price", "")]);
  port.answer();
  expect(retained.size).toBe(0);
  const next = new RetainingPort();
  publisher.detach();
  publisher.attach(next);
  expect(next.sent).toEqual([{ topic: "elbro/price", payload: "" }]);
});

test("what was removed while the broker was away is cleared when it is back", () => {
  const { publisher, retained } = attached([state("old", "1"), state("home", "1")]);
  publisher.detach();
  publisher.show([state("home", "2")]);
  expect(retained.get("elbro/old")).toBe("1");
  const port = new RetainingPort(retained);
  publisher.attach(port);
  port.answer();
  expect([...retained]).toEqual([["elbro/home", "2"]]);
});

test("what an earlier life left behind is cleared, after a crash too", () => {
  const memory = new TestMemory();
  const retained = new Map<string, string>();
  const first = publisherOn(memory);
  const port = new RetainingPort(retained);
  first.attach(port);
  first.show([state("old", "1")]); // sent, never acknowledged: the process dies here
  attached([state("new", "1")], memory, retained);
  expect([...retained.keys()]).toEqual(["elbro/new"]);
});

test("before anything is shown nothing is cleared", () => {
  const { memory, retained } = attached([state("home", "1")]);
  const next = publisherOn(memory);
  const port = new RetainingPort(retained);
  next.attach(port);
  expect(port.sent).toEqual([]);
  next.show([state("home", "1")]);
  expect(port.topics()).toEqual(["elbro/home"]);
});

test("what cannot wait is sent before the whole state is known, and takes nothing away", () => {
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

test("a topic that is wanted again before its clear is answered stays remembered", () => {
  const { publisher, port, memory, retained } = attached([state("home", "1")]);
  publisher.show([]);
  publisher.show([state("home", "2")]);
  port.answer();
  publisher.age();
  publisher.age();
  attached([], memory, retained);
  expect(retained.size).toBe(0);
});

test("an answer of an earlier connection counts for nothing on the next one", () => {
  const publisher = publisherOn(new TestMemory());
  const [old, next] = [new RetainingPort(new Map(), 1), new RetainingPort(new Map(), 1)];
  publisher.show([state("a", "1"), state("b", "1"), state("c", "1")]);
  publisher.attach(old);
  publisher.attach(next);
  old.answer();
  expect([old.topics(), next.topics()]).toEqual([["elbro/a"], ["elbro/a"]]);
});

test("a broker that lost power after a clear is cleared again", () => {
  const { memory, retained } = attached([state("old", "1")]);
  const { publisher } = attached([state("new", "1")], memory, retained);
  retained.set("elbro/old", "1"); // as of the broker's last save
  publisher.detach();
  const port = new RetainingPort(retained);
  publisher.attach(port);
  port.answer();
  expect([...retained.keys()]).toEqual(["elbro/new"]);
});

test("what was cleared long ago is forgotten, so it is not touched when it is somebody else's", () => {
  const { memory, retained } = attached([state("old", "1")]);
  const { publisher } = attached([state("new", "1")], memory, retained);
  publisher.age();
  publisher.age();
  retained.set("elbro/old", "somebody else's by now");
  const { port } = attached([state("new", "1")], memory, retained);
  expect(port.topics()).toEqual(["elbro/new"]);
  expect(retained.get("elbro/old")).toBe("somebody else's by now");
});

test("the status topic of an earlier base topic is cleared, that of this one never", () => {
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

test("a component that is gone is sent once reduced to its platform, then left out", () => {
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

test("a component that changes its platform is taken away on the old one first", () => {
  const { publisher, port } = attached([document("d", { cheap: "sensor" })]);
  port.sent.length = 0;
  publisher.show([document("d", { cheap: "binary_sensor" })]);
  port.answer();
  expect(port.sent.map(({ payload }) => JSON.parse(payload).components.cheap.platform)).toEqual([
    "sensor",
    "binary_sensor",
  ]);
});

test("a component that an older version published is taken away after the upgrade, once", () => {
  const { memory, retained } = attached([document("d", { price: "sensor", retired: "sensor" })]);
  const upgrade = attached([document("d", { price: "sensor" })], memory, retained);
  expect(upgrade.port.sent).toHaveLength(2);
  const restart = attached([document("d", { price: "sensor" })], memory, retained);
  expect(restart.port.sent).toHaveLength(1);
});

test("on a new reader everything is sent again: the documents before the states", () => {
  const { publisher, port } = attached([state("price", "1"), document("d", { price: "sensor" }), state("level", "")]);
  port.sent.length = 0;
  publisher.repeat();
  port.answer();
  expect(port.topics()).toEqual(["homeassistant/device/d/config", "elbro/price", "elbro/level"]);
});

test("an unchanged house writes nothing to disk, however often it is shown", () => {
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
/** One of them holds the document of a device. */
const topicOf = (name: string) => (name === "d" ? "homeassistant/device/d/config" : `elbro/${name}`);
const house = fc.dictionary(topic, fc.constantFrom("", "1", "2"));
const event = fc.oneof(
  fc.record({ kind: fc.constant("show" as const), house }),
  fc.record({
    kind: fc.constantFrom(...(["attach", "detach", "crash", "repeat", "age", "brokerLoses", "brokerSaves"] as const)),
  }),
  fc.record({ kind: fc.constant("answer" as const), most: fc.integer({ min: 1, max: 3 }) }),
);

test("whatever changes, breaks and restarts: in the end the broker holds exactly what is wanted, and others' topics", () => {
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
          // An hour passes, in which the broker saves.
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

  test("a part is sent alone, and what it no longer has is taken away", () => {
    const { publisher, port, retained } = inParts(homes);
    publisher.show([state("a/price", "2")], "a");
    port.answer();
    expect(port.topics()).toEqual(["elbro/a/level", "elbro/a/price"]);
    expect([...retained.keys()].sort()).toEqual(["elbro/a/price", "elbro/b/level", "elbro/b/price"]);
  });

  test("urgent messages of all parts go before all others", () => {
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

  test("before all parts were shown nothing is taken away; a part that is gone is, after a restart too", () => {
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

  test("a topic more of one part writes the memory of that part alone", () => {
    const { publisher, memory } = inParts(homes);
    const written: string[] = [];
    const write = memory.write.bind(memory);
    memory.write = (name, value) => {
      written.push(name);
      write(name, value);
    };
    publisher.show([state("b/price", "1"), state("b/level", "x"), state("b/forecast", "{}")], "b");
    expect(written).toEqual(["mqtt_retained/b"]);
  });

  test("a start reads the memory of a home when it is shown, and of those that are gone when all were", () => {
    const { memory, retained } = inParts(["a", "b", "gone"]);
    const reads: string[] = [];
    const read = memory.read.bind(memory);
    memory.read = (name) => {
      reads.push(name);
      return read(name);
    };
    const publisher = publisherOn(memory);
    const port = new RetainingPort(retained);
    publisher.attach(port);
    publisher.showFirst([state("b/price", "2")], "b");
    expect(reads).toEqual(["mqtt_retained", "mqtt_retained/b"]);
    publisher.show([state("b/price", "2")], "b");
    publisher.show([state("a/price", "1"), state("a/level", "x")], "a");
    publisher.keepParts(new Set(["a", "b"]));
    port.answer();
    expect(reads).toEqual(["mqtt_retained", "mqtt_retained/b", "mqtt_retained/a", "mqtt_retained/gone"]);
    expect([...retained.keys()].sort()).toEqual(["elbro/a/level", "elbro/a/price", "elbro/b/price"]);
  });

  test("a start that ends before all homes were shown forgets none", () => {
    const { memory, retained } = inParts(["a", "gone"]);
    publisherOn(memory).show([state("new/price", "1")], "new");
    const publisher = publisherOn(memory);
    const port = new RetainingPort(retained);
    publisher.attach(port);
    publisher.show([state("a/price", "1"), state("a/level", "x")], "a");
    publisher.keepParts(new Set(["a"]));
    port.answer();
    expect([...retained.keys()].sort()).toEqual(["elbro/a/level", "elbro/a/price"]);
  });

  test("what an earlier version remembered without parts is taken away where nobody wants it", () => {
    const { memory, retained } = attached([state("a/price", "1"), state("old", "1")]);
    const publisher = publisherOn(memory);
    const port = new RetainingPort(retained);
    publisher.attach(port);
    publisher.show([state("a/price", "1")], "a");
    publisher.keepParts(new Set(["a"]));
    port.answer();
    expect([...retained.keys()]).toEqual(["elbro/a/price"]);
  });
});

/** Two topics for each home, in a broker that answered. */
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
