/**
 * Home Assistant's supervisor, which starts elbro as an app: it knows the broker of the house and its password.
 *
 * Source: Home Assistant, app communication: `GET /services/mqtt` with the app's token.
 */
import { get } from "node:http";
import type { Config } from "./config/schema.ts";
import { StartError } from "./start-error.ts";

const SUPERVISOR_URL = "http://supervisor";
const TIMEOUT_MS = 10_000;
/** The answer is one small object. */
const MAX_ANSWER_BYTES = 64 * 1024;

const MEND = "install and start the Mosquitto broker app, or set mqtt.url in the app's configuration";

/**
 * The configuration with the broker that the supervisor names; as it is where it names a broker of its own.
 * Errors: throws a StartError.
 */
export async function withSupervisorsBroker(config: Config, token: string, url = SUPERVISOR_URL): Promise<Config> {
  if (config.mqtt.url !== undefined) return config;
  const { host, port, ssl, ...login } = brokerOf(await ask(`${url}/services/mqtt`, token));
  return { ...config, mqtt: { ...config.mqtt, url: `${ssl ? "mqtts" : "mqtt"}://${host}:${port}`, ...login } };
}

interface Broker {
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean;
  readonly username?: string;
  readonly password?: string;
}

function brokerOf({ status, text }: Answer): Broker {
  if (status === 400 || status === 404) throw new StartError(`Home Assistant has no MQTT broker: ${MEND}`);
  if (status !== 200) throw new StartError(`the supervisor answered ${status} when asked for the MQTT broker: ${MEND}`);
  const data = dataOf(text);
  const { host, port, ssl, username, password } = data;
  if (typeof host !== "string" || typeof port !== "number")
    throw new StartError(`the supervisor's answer names no host and port of the MQTT broker: ${MEND}`);
  return {
    ...{ host, port, ssl: ssl === true },
    ...(typeof username === "string" && username !== "" ? { username } : {}),
    ...(typeof password === "string" && password !== "" ? { password } : {}),
  };
}

/** `data` of the supervisor's answer; empty where there is none. */
function dataOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const { data } = (JSON.parse(text) ?? {}) as { readonly data?: unknown };
    return typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
  } catch {
    throw new StartError(`the supervisor's answer about the MQTT broker is no JSON: ${MEND}`);
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function ask(url: string, token: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const unreached = (why: string) => reject(new StartError(`the supervisor cannot be reached (${why}): ${MEND}`));
    const request = get(url, { headers: { authorization: `Bearer ${token}` }, timeout: TIMEOUT_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > MAX_ANSWER_BYTES) response.destroy(new Error("its answer is too long"));
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", (error) => unreached(error.message));
    });
    request.on("timeout", () => request.destroy(new Error(`no answer in ${TIMEOUT_MS / 1_000} s`)));
    request.on("error", (error) => unreached(error.message));
  });
}
