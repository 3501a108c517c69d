/**
 * Requests to Home Assistant's supervisor, which starts elbro as an app. It returns the address and password of the
 * broker, and forwards the app to Home Assistant's WebSocket API.
 *
 * Source: Home Assistant, app communication: `GET /services/mqtt` and `ws://supervisor/core/websocket` with the app's
 * token (`homeassistant_api` in the app's description).
 */

import * as z from "zod/mini";
import { joined, mistakeAt, pathText } from "../config/reading/mistake.ts";
import { statisticIdMistakes } from "../config/references.ts";
import type { Config } from "../config/schema/schema.ts";
import { textIn } from "../core/language/text.ts";
import { StartError } from "../core/status/start-error.ts";
import { errorMessage } from "../core/text/error-words.ts";
import { foreignSources, foreignValue } from "../core/text/foreign-text.ts";
import { type HttpGetResult, httpGet } from "../service/client/http-get.ts";

const SUPERVISOR_URL = "http://supervisor";
const BOUNDS = { timeoutMs: 10_000, maxBytes: foreignSources.small_answer.length };

const REMEDY = "install and start the Mosquitto broker app, or set mqtt.url in the app's configuration";

/** Returns the configuration with the supervisor's broker, unless `mqtt.url` is set. Rejects with a StartError. */
export async function withSupervisorsBroker(config: Config, token: string, url = SUPERVISOR_URL): Promise<Config> {
  if (config.mqtt.url !== undefined) return config;
  const { host, port, ssl, ...login } = brokerOf(await ask(`${url}/services/mqtt`, token));
  return { ...config, mqtt: { ...config.mqtt, url: `${ssl ? "mqtts" : "mqtt"}://${host}:${port}`, ...login } };
}

const CORE_WEBSOCKET = "ws://supervisor/core/websocket";

/** Adds Home Assistant's WebSocket, unless it is set. Throws a StartError for homes with equal ids there. */
export function withSupervisorsHomeAssistant(config: Config, token: string): Config {
  if (config.home_assistant) return config;
  const mistakes = statisticIdMistakes(config.homes).map(({ path, ...said }) => ({ path: pathText(path), ...said }));
  if (mistakes.length > 0) throw new StartError(textIn("en", joined(mistakes.map(mistakeAt))));
  return { ...config, home_assistant: { url: CORE_WEBSOCKET, token } };
}

const login = z.catch(z.optional(z.string()), undefined);
const answer = z.object({
  data: z.object({
    host: z.string(),
    port: z.number(),
    ssl: z.catch(z.boolean(), false),
    username: login,
    password: login,
  }),
});

/** Returns the broker in the supervisor's response. Errors: throws a StartError without a broker. */
function brokerOf({ status, text }: HttpGetResult) {
  if (status === 400 || status === 404) throw new StartError(`Home Assistant has no MQTT broker: ${REMEDY}`);
  if (status !== 200)
    throw new StartError(`the supervisor answered ${status} when asked for the MQTT broker: ${REMEDY}`);
  const json = foreignValue("small_answer", text);
  if (json === undefined)
    throw new StartError(`the supervisor's response about the MQTT broker is not JSON: ${REMEDY}`);
  const { data } = answer.safeParse(json);
  if (!data) throw new StartError(`the supervisor's response has no host and port of the MQTT broker: ${REMEDY}`);
  const { host, port, ssl, username, password } = data.data;
  return { host, port, ssl, ...(username && { username }), ...(password && { password }) };
}

async function ask(url: string, token: string): Promise<HttpGetResult> {
  const { hostname, port, pathname: path } = new URL(url);
  try {
    return await httpGet({ hostname, port, path, headers: { authorization: `Bearer ${token}` } }, BOUNDS);
  } catch (error) {
    throw new StartError(`the supervisor cannot be reached (${errorMessage(error)}): ${REMEDY}`);
  }
}
