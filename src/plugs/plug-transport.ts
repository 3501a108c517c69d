/** How a plug is reached: over MQTT, over its own HTTP interface, or through Home Assistant. */
import * as z from "zod/mini";
import type { PlugConfig } from "../config/schema/plug-schema.ts";
import { message, type Text } from "../core/language/text.ts";
import { plugFamilies } from "../core/plugs/families/families.ts";
import type { PlugFamilyRow } from "../core/plugs/families/plug-family.ts";
import { type KeyValue, readJson } from "../core/runtime/key-value.ts";
import { type HomeAssistantEntities, overHomeAssistant } from "./entity-plug.ts";
import { type HttpAccess, type HttpPlug, type PlugAnswer, POLL_MS } from "./http-plug.ts";
import type { PlugListener, PlugTransport } from "./plug-connection.ts";

export interface TransportDeps {
  /** Publishes with QoS 1, not retained, and never later. Returns false without a connection to the broker. */
  readonly publishOnce: (topic: string, payload: string) => boolean;
  /** Opens a plug with a `url`. `onAnswer` receives the answer to each message. */
  readonly openHttp: (access: HttpAccess, onAnswer: (answer: PlugAnswer) => void) => HttpPlug;
  /** Null if no Home Assistant is configured. */
  readonly homeAssistant?: HomeAssistantEntities | null;
  readonly memory: KeyValue;
  /** Called after each event. */
  readonly wake: () => void;
}

/** Topic of the messages of a plug over HTTP. */
export const HTTP_TOPIC = "";

const knownCertificate = z.object({ url: z.string(), fingerprint: z.string() });

/** Opens the transport that a plug's configuration names. `id` is the name of the plug in the memory. */
export function openPlugTransport(
  id: string,
  config: PlugConfig,
  deps: TransportDeps,
  plug: PlugListener,
): PlugTransport {
  const { http }: PlugFamilyRow = plugFamilies[config.family];
  if (config.url !== undefined && http) return overHttp(id, { ...config, url: config.url, http }, deps, plug);
  if (config.family === "homeassistant") return overHomeAssistant(config, deps.homeAssistant ?? null, deps.wake, plug);
  return {
    send: ({ topic, payload }) => void deps.publishOnce(topic, payload),
    pollMs: null,
    isOnBroker: true,
    close: async () => undefined,
  };
}

/** A plug that answers again may have been without power. */
function overHttp(
  id: string,
  config: PlugConfig & { readonly url: string; readonly http: NonNullable<PlugFamilyRow["http"]> },
  { openHttp, memory, wake }: TransportDeps,
  plug: PlugListener,
): PlugTransport {
  const { url, username = "admin", password, http } = config;
  const certificateMemory = `plug/${id}/certificate`;
  const certificate = () => {
    const known = readJson(memory, certificateMemory, knownCertificate);
    return config.certificate?.toUpperCase() ?? (known?.url === url ? known.fingerprint : null);
  };
  const { login, refusal } = http;
  const client = openHttp({ url, login, refusal, username, password, certificate }, (answer) => {
    plug.onRefusal(refusalIn(answer));
    const isAnswer = answer.kind === "answered";
    if (isAnswer && answer.certificate !== null && certificate() === null)
      memory.write(certificateMemory, JSON.stringify({ url, fingerprint: answer.certificate }));
    plug.onAvailable(isAnswer);
    if (isAnswer) plug.onMessage({ topic: HTTP_TOPIC, payload: answer.body, retained: false });
    wake();
  });
  plug.isUp(true);
  return { ...client, send: (message) => void client.send(message), pollMs: POLL_MS, isOnBroker: false };
}

/** Returns the reason why a device does not let elbro in, for the owner; null if it does, or does not answer at all. */
function refusalIn(answer: PlugAnswer): Text | null {
  if (answer.kind === "login_needed") return message("found.login_needed");
  if (answer.kind === "login_refused") return message("found.login_refused");
  if (answer.kind === "redirected") return message("found.redirected", { url: answer.url });
  if (answer.kind === "failed") return message("found.http_error", { status: answer.status, text: answer.text });
  if (answer.kind === "other_certificate")
    return message("found.other_certificate", { fingerprint: answer.fingerprint });
  return null;
}
