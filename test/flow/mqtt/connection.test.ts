import { createServer, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import { freePort, Mosquitto } from "../../support/broker/mosquitto.ts";
import { retainedIn } from "../../support/broker/retained.ts";
import { TestMqttClient } from "../../support/broker/test-mqtt-client.ts";
import { TopicWatcher } from "../../support/broker/topic-watcher.ts";
import { WebSocketProxy } from "../../support/broker/websocket-proxy.ts";
import { listening } from "../../support/http/listening.ts";
import { UNKNOWN_HOST } from "../../support/http/unknown-host.ts";
import { lacks } from "../../support/runner/needs.ts";
import { Authority } from "../../support/service/certificates.ts";

/** Starts a server that is not a broker. */
const playing = (onSocket: (socket: Socket) => void) =>
  listening(createServer((socket) => onSocket(socket.on("error", () => undefined))));

describe("a failed connection is logged once with its reason:", () => {
  test("a closed port", async () => {
    await using link = new TestMqttClient({ to: await freePort() });
    expect(await link.firstReason()).toMatch(/nothing listens there; check that the broker runs/);
  });

  test("an unknown host", async () => {
    await using link = new TestMqttClient({ to: `mqtt://${UNKNOWN_HOST}:1883` });
    expect(await link.firstReason()).toMatch(/name cannot be resolved|the DNS server does not answer/);
  });

  test("a web server", async () => {
    await using web = await playing((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    );
    await using link = new TestMqttClient({ to: web.port });
    expect(await link.firstReason()).toMatch(/does not speak MQTT; check the port/);
  });

  test("a server that sends first", async () => {
    await using ssh = await playing((socket) => socket.write("SSH-2.0-OpenSSH_9.2p1\r\n"));
    await using link = new TestMqttClient({ to: ssh.port });
    expect(await link.firstReason()).toMatch(/does not speak MQTT; check the port/);
  });

  test("a server that accepts and never responds", async () => {
    await using silent = await playing(() => undefined);
    await using link = new TestMqttClient({ to: silent.port });
    expect(await link.firstReason()).toMatch(/does not answer as a broker/);
  });

  test("a server that closes the connection", async () => {
    await using rude = await playing((socket) => socket.once("data", () => socket.destroy()));
    await using link = new TestMqttClient({ to: rude.port });
    expect(await link.firstReason()).toMatch(/closed before the broker answered; .*mqtts:/);
  });

  test("a wrong WebSocket path", async () => {
    await using web = await playing((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")),
    );
    await using link = new TestMqttClient({ to: `ws://127.0.0.1:${web.port}/mqtt` });
    expect(await link.firstReason()).toMatch(
      /answers with status 404 instead of a WebSocket; check the path of mqtt.url/,
    );
  });

  test("many attempts with one reason are logged once", async () => {
    await using link = new TestMqttClient({ to: await freePort() });
    await link.firstReason();
    const before = link.attempts;
    await expect.poll(() => link.attempts).toBeGreaterThan(before + 2);
    expect(link.reasons()).toHaveLength(1);
  });
});

test("without a broker a stop takes no time in any state", async () => {
  await using silent = await playing(() => undefined);
  const links = [
    new TestMqttClient({ to: await freePort() }),
    new TestMqttClient({ to: silent.port }),
    new TestMqttClient({ to: "mqtt://192.0.2.1:1883" }),
    new TestMqttClient({ to: `wss://127.0.0.1:${silent.port}` }),
  ];
  await links[0]?.firstReason();
  for (const link of links) expect(await link.stop()).toBeLessThan(200);
});

describe.skipIf(lacks("Mosquitto"))("with Mosquitto (skipped if it is not installed) the client", () => {
  test("with Mosquitto the client uses MQTT 5 if the broker supports it", async () => {
    await using broker = await Mosquitto.start({ config: ["log_type all"] });
    await using link = new TestMqttClient({ to: broker.port });
    await link.up();
    expect(link.attempts).toBe(1);
    await expect.poll(() => broker.said()).toContain("as elbro_test (p5,");
  });

  test("connects with user and password, and is rejected without", async () => {
    await using broker = await Mosquitto.start({ users: { elbro: "open sesame" } });
    await using link = new TestMqttClient({ to: broker.port, username: "elbro", password: "open sesame" });
    await link.up();
    await using wrong = new TestMqttClient({ to: broker.port, username: "elbro", password: "sesame", clientId: "b" });
    expect(await wrong.firstReason()).toMatch(/rejects the user name or password|refuses the login/);
    expect(JSON.stringify(wrong.lines)).not.toContain("sesame");
  });

  test("with Mosquitto the client connects over WebSocket", async () => {
    await using broker = await Mosquitto.start();
    await using proxy = await WebSocketProxy.before(broker.port);
    const link = new TestMqttClient({ to: `ws://127.0.0.1:${proxy.port}/mqtt` });
    await link.up();
    link.showStates({ "elbro/home/prices": "9".repeat(20_000) });
    await expect.poll(() => retainedIn(broker.port)).toHaveProperty(["elbro/home/prices"], "9".repeat(20_000));
    expect(await link.stop()).toBeLessThan(500);
    expect(await retainedIn(broker.port)).toHaveProperty(["elbro/status"], "offline");
  });

  test("with Mosquitto the client publishes online retained, and offline at a stop", async () => {
    await using broker = await Mosquitto.start();
    const link = new TestMqttClient({ to: broker.port });
    await link.up();
    await expect.poll(() => retainedIn(broker.port)).toEqual({ "elbro/status": "online" });
    expect(await link.stop()).toBeLessThan(500);
    expect(await retainedIn(broker.port)).toEqual({ "elbro/status": "offline" });
  });

  test("with Mosquitto the client stops within 1.5 s although the broker hangs", async () => {
    await using broker = await Mosquitto.start();
    const link = new TestMqttClient({ to: broker.port });
    await link.up();
    broker.freeze();
    expect(await link.stop()).toBeLessThan(1_500);
    broker.thaw();
  });

  test("with Mosquitto the client corrects the late will of an earlier process", async () => {
    await using broker = await Mosquitto.start();
    await using link = new TestMqttClient({ to: broker.port });
    await link.up();
    broker.publish("elbro/status", "offline", "-r");
    await expect.poll(() => retainedIn(broker.port)).toEqual({ "elbro/status": "online" });
  });
});

describe.skipIf(lacks("Mosquitto", "openssl"))("over TLS (skipped without Mosquitto or openssl) the client", () => {
  const HERE = "IP:127.0.0.1,DNS:localhost";
  const listener = ["certfile DIR/server.pem", "keyfile DIR/server.key"];
  const filesOf = ({ cert, key }: { cert: string; key: string }) => ({ "server.pem": cert, "server.key": key });

  test("over TLS the client accepts a broker certificate of its own authority", async () => {
    using ours = new Authority("ours");
    using other = new Authority("other");
    await using broker = await Mosquitto.start({ listener, files: filesOf(ours.issue("server", HERE)) });
    const to = `mqtts://127.0.0.1:${broker.port}`;
    await using link = new TestMqttClient({ to, ca: ours.cert });
    await link.up();
    await using named = new TestMqttClient({
      to: to.replace("127.0.0.1", "localhost"),
      ca: ours.cert,
      clientId: "c",
    });
    await named.up();
    await using unknown = new TestMqttClient({ to, clientId: "d" });
    expect(await unknown.firstReason()).toMatch(/unknown authority; set mqtt.ca_file/);
    await using wrong = new TestMqttClient({ to, ca: other.cert, clientId: "e" });
    expect(await wrong.firstReason()).toMatch(/unknown authority; set mqtt.ca_file/);
    await using broken = new TestMqttClient({ to, ca: ours.cert, cert: "no PEM", key: "no PEM", clientId: "f" });
    expect(await broken.firstReason()).toMatch(/mqtt.ca, mqtt.cert or mqtt.key cannot be used/);
    await using plain = new TestMqttClient({ to: broker.port, clientId: "g" });
    expect(await plain.firstReason()).toMatch(/a TLS port needs mqtts:/);
  });

  test("over TLS the client rejects an expired certificate, and one for another name", async () => {
    using ours = new Authority("ours");
    await using expired = await Mosquitto.start({ listener, files: filesOf(ours.issue("server", HERE, -1)) });
    await using link = new TestMqttClient({ to: `mqtts://127.0.0.1:${expired.port}`, ca: ours.cert });
    expect(await link.firstReason()).toMatch(/certificate has expired/);
    await using foreign = await Mosquitto.start({ listener, files: filesOf(ours.issue("server", "DNS:elsewhere")) });
    await using other = new TestMqttClient({ to: `mqtts://127.0.0.1:${foreign.port}`, ca: ours.cert });
    expect(await other.firstReason()).toMatch(/certificate is for another name/);
  });

  test("over TLS the client sends a client certificate", async () => {
    using ours = new Authority("ours");
    const files = { ...filesOf(ours.issue("server", HERE)), "ca.pem": ours.cert };
    const asking = [...listener, "cafile DIR/ca.pem", "require_certificate true"];
    await using broker = await Mosquitto.start({ listener: asking, files });
    const to = `mqtts://127.0.0.1:${broker.port}`;
    await using link = new TestMqttClient({ to, ca: ours.cert, ...ours.issue("client", HERE) });
    await link.up();
    await using without = new TestMqttClient({ to, ca: ours.cert, clientId: "b" });
    expect(await without.firstReason()).toMatch(/requires a client certificate; set mqtt.cert_file and mqtt.key_file/);
  });

  test("over TLS the client connects over a secure WebSocket", async () => {
    using ours = new Authority("ours");
    await using broker = await Mosquitto.start();
    await using proxy = await WebSocketProxy.before(broker.port, ours.issue("server", HERE));
    const to = `wss://127.0.0.1:${proxy.port}/mqtt`;
    await using link = new TestMqttClient({ to, ca: ours.cert });
    await link.up();
    await using unknown = new TestMqttClient({ to, clientId: "b" });
    expect(await unknown.firstReason()).toMatch(/unknown authority/);
  });

  test("over TLS the client reports mqtts to a port without TLS", async () => {
    await using broker = await Mosquitto.start();
    await using link = new TestMqttClient({ to: `mqtts://127.0.0.1:${broker.port}` });
    expect(await link.firstReason()).toMatch(/does not answer with TLS|mqtts: and wss: need a TLS port/);
  });
});

test.skipIf(lacks("Mosquitto"))(
  "a topic that is not needed any more is unsubscribed, except if a listener still needs it",
  async () => {
    await using broker = await Mosquitto.start();
    await using client = new TestMqttClient({ to: broker.port });
    const heard: string[] = [];
    let needed = ["house/left", "house/shared"];
    const idle = { onUp: () => undefined, onDown: () => undefined };
    client.link.addListener({
      ...idle,
      get subscriptions() {
        return needed;
      },
      onMessage: ({ topic, payload }) => void heard.push(`${topic} ${payload}`),
    });
    await client.up();
    await using sender = await TopicWatcher.on(broker.port);
    const send = async (payload: string) => {
      for (const topic of ["house/left", "house/shared"]) await sender.publish(topic, payload);
    };
    await send("1");
    await expect.poll(() => heard).toEqual(["house/left 1", "house/shared 1"]);
    const all = needed;
    needed = ["house/shared"];
    client.link.unsubscribe(all);
    // A subscription that follows is confirmed after the unsubscription.
    await sender.publish("house/new", "retained", { retain: true });
    client.link.subscribe(["house/new"]);
    await expect.poll(() => heard).toContain("house/new retained");
    await send("2");
    await expect.poll(() => heard).toContain("house/shared 2");
    expect(heard).not.toContain("house/left 2");
  },
);

describe("a hostile broker is disconnected before it fills the memory:", () => {
  const CONNACK = Buffer.from([0x20, 0x03, 0x00, 0x00, 0x00]);

  test.each([
    ["a packet of 256 MB", Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]), /a packet of more than 4 MiB/],
    ["a message with QoS 2", Buffer.from([0x34, 0x06, 0x00, 0x01, 0x74, 0x00, 0x01, 0x00]), /a message with QoS 2/],
    ["a message with QoS 2 without an id", Buffer.from([0x34, 0x03, 0x00, 0x01, 0x74]), /a message with QoS 2/],
    ["a message with QoS 1 without an id", Buffer.from([0x32, 0x03, 0x00, 0x01, 0x74]), /too short for its message id/],
    ["a release without an id", Buffer.from([0x62, 0x00]), /too short for its message id/],
  ])("%s", async (_, packet, reason) => {
    let sent = 0;
    await using broker = await playing((socket) =>
      socket.once("data", () => {
        socket.write(Buffer.concat([CONNACK, packet]));
        const flood = () => {
          while (!socket.destroyed && sent < 64 * 1024 * 1024) {
            sent += 65_536;
            if (!socket.write(Buffer.alloc(65_536, packet))) return void socket.once("drain", flood);
          }
        };
        flood();
      }),
    );
    await using link = new TestMqttClient({ to: broker.port });
    expect(await link.firstReason()).toMatch(reason);
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });
});

test("another client with the same client id is logged", async () => {
  const { port, close } = await startEmbeddedBroker({
    ...{ host: "127.0.0.1", port: 0, users: [], anonymous: true, baseTopic: "nobody", discoveryPrefix: "nobody" },
    ...{ onRefused: () => undefined, onConnectionRefused: () => undefined },
  });
  {
    await using first = new TestMqttClient({ to: port });
    await first.up();
    await using second = new TestMqttClient({ to: port });
    await second.up();
    expect(await first.firstReason()).toMatch(
      /another client connected with the same client id; check that no second elbro runs/,
    );
  }
  await close();
});
