/** Sets up Home Assistant's MQTT integration through its configuration form. */
import type { HomeAssistant } from "./home-assistant.ts";

export type Protocol = "5" | "3.1.1";

export type Broker = { readonly port: number; readonly username: string; readonly password: string };

interface FlowStep {
  readonly flow_id: string;
  readonly type: "form" | "create_entry" | "abort";
  readonly step_id?: string;
  readonly errors?: Readonly<Record<string, string>>;
  readonly reason?: string;
}

/** Connects to a broker. Returns the error of the form; null on success. */
export async function connectMqtt(home: HomeAssistant, broker: Broker, protocol: Protocol): Promise<string | null> {
  const flows = "/api/config/config_entries/flow";
  const form = await home.rest<FlowStep>("POST", flows, { handler: "mqtt" });
  const answer = await home.rest<FlowStep>("POST", `${flows}/${form.flow_id}`, {
    broker: "127.0.0.1",
    protocol,
    ...broker,
    other_settings: { set_client_cert: false, set_ca_cert: "off", transport: "tcp" },
  });
  if (answer.type === "create_entry") return null;
  return answer.reason ?? Object.values(answer.errors ?? {}).join(", ");
}
