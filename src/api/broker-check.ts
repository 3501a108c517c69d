/** Result of the test of a part, and the test of the broker. */

import { createServer } from "node:net";
import type { Config } from "../config/schema.ts";
import { type Text, textIn } from "../core/language/text.ts";
import { connectionTo, withoutLogin } from "../mqtt/broker/start-broker.ts";

export interface Check {
  readonly part: string;
  /** `untold` if it could not be tested, for instance because the quota does not allow it now. */
  readonly state: "works" | "fails" | "untold";
  readonly text: string;
}

/** Returns the result of a test. `trouble` is the reason of a failure; null if the part works. */
export function resultOf(part: string, trouble: string | null, otherwise: string): Check {
  return { part, state: trouble === null ? "works" : "fails", text: trouble ?? otherwise };
}

/** Returns the state of the running daemon's connection to the broker. `trouble` is null if it is connected. */
export function checkOfBroker({ mqtt: { url } }: Pick<Config, "mqtt">, trouble: Text | null): Check {
  return resultOf(
    "broker",
    trouble && textIn("en", trouble),
    `connected: ${url === undefined ? "built in" : withoutLogin(url)}`,
  );
}

/** Tests the broker while no daemon runs: logs in to a configured one, or looks whether the port is free. */
export async function checkConfiguredBroker(config: Config): Promise<Check> {
  const { host, port } = config.broker;
  const { url } = config.mqtt;
  if (url !== undefined) {
    const { tryBroker } = await import("../mqtt/client/check-connection.ts");
    const trouble = await tryBroker(connectionTo(null, config));
    return resultOf("broker", trouble && textIn("en", trouble), `${withoutLogin(url)} accepts the login`);
  }
  const trouble = await whyNotFree(host, port);
  const failure = trouble && `the built-in broker cannot listen on port ${port}: ${trouble}`;
  return resultOf("broker", failure, `built in, port ${port} free`);
}

function whyNotFree(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "EADDRINUSE" ? "another program uses it" : (error.code ?? error.message));
    });
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
