import mqtt, { type IClientOptions } from "mqtt";
import { expect, test } from "vitest";
import { startEmbeddedBroker } from "../../../src/mqtt/broker/embedded-broker.ts";
import { type NeighbourMessage, neighbours, played } from "../../support/broker/neighbours.ts";

const LOGIN = { username: "house", password: "open sesame" };

async function connect(port: number, options: IClientOptions) {
  const client = await mqtt.connectAsync(
    `mqtt://127.0.0.1:${port}`,
    { ...LOGIN, reconnectPeriod: 0, ...options },
    false,
  );
  const heard: NeighbourMessage[] = [];
  client.on("message", (topic, payload, { retain }) => void heard.push({ topic, payload: payload.toString(), retain }));
  return { client, heard, [Symbol.asyncDispose]: () => client.endAsync(true) };
}

test.each(neighbours)(
  "$name announces itself through the embedded broker, is switched, and its will is published",
  async (neighbour) => {
    const refused: string[] = [];
    const { port, close } = await startEmbeddedBroker({
      ...{ host: "127.0.0.1", port: 0, users: [{ name: LOGIN.username, password: LOGIN.password, commands: true }] },
      ...{ anonymous: false, baseTopic: "elbro", discoveryPrefix: "homeassistant" },
      onRefused: (user, topic) => refused.push(`${user} ${topic}`),
      onLockedOut: (address) => refused.push(address),
      onConnectionRefused: () => refused.push("a connection"),
    });
    try {
      const program = await played(neighbour, { port, ...LOGIN });
      const { will, messages, on, answer } = neighbour;
      for (const protocolVersion of [4, 5] as const) {
        await using home = await connect(port, { protocolVersion });
        await home.client.subscribeAsync("#", { qos: 1 });
        await home.client.publishAsync(on.topic, on.payload, { qos: 1 });
        await expect.poll(() => home.heard.map(({ payload }) => payload)).toContain(answer.at(-1)?.payload);
        const isAnswer = ({ topic }: NeighbourMessage) => topic === answer.at(-1)?.topic;
        const retainedOf = (all: readonly NeighbourMessage[]) =>
          new Map(all.filter((each) => each.retain && !isAnswer(each)).map(({ topic, payload }) => [topic, payload]));
        // The second time, the retained answer is among them, in any order.
        await expect.poll(() => retainedOf(home.heard)).toEqual(retainedOf(messages));
      }
      await using watcher = await connect(port, { protocolVersion: 5 });
      await watcher.client.subscribeAsync(will.topic, { qos: 1 });
      program.stream.destroy();
      await expect.poll(() => watcher.heard.at(-1)?.payload).toBe(will.payload);
      expect(refused).toEqual([]);
    } finally {
      await close();
    }
  },
);
