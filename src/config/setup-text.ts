/** Makes the text of `elbro.yaml` from the choices of the set-up. */
import { Document } from "yaml";
import { printable } from "../core/text/printable.ts";

/** Choices of the set-up. All other keys have their defaults. */
export interface SetupChoices {
  readonly apiKey: string;
  /** Addresses that become homes; null for all, including later ones. */
  readonly homes: readonly { readonly id: string; readonly label: string }[] | null;
  /** Broker to use; null for the embedded broker. */
  readonly broker: { readonly url: string; readonly username?: string; readonly password?: string } | null;
  /** User of the embedded broker. */
  readonly brokerUser: { readonly name: string; readonly password: string };
  readonly homeAssistant: { readonly url: string; readonly token: string } | null;
  readonly language: string;
}

/** Returns the text. `day` is the date, for instance `2026-11-23`. */
export function setupText(choices: SetupChoices, day: string): string {
  const { apiKey, homes, broker, brokerUser, homeAssistant, language } = choices;
  const document = new Document({
    consumer: { api_key: apiKey },
    ...(homes && { homes: homes.map(({ id }) => ({ address_id: id })) }),
    ...(broker ? { mqtt: broker } : { broker: { users: [{ ...brokerUser, commands: true }] } }),
    ...(homeAssistant && { home_assistant: homeAssistant }),
    language,
  });
  document.commentBefore = ` Written by the set-up on the dashboard on ${day}. It holds secrets: keep it private.
 All keys with their descriptions: config/elbro.example.yaml and docs/configuration.md.`;
  homes?.forEach(({ label }, i) => {
    const item = document.getIn(["homes", i], true);
    if (typeof item === "object" && item !== null)
      Object.assign(item, { comment: ` ${printable(label.replace(/\s+/g, " "))}` });
  });
  return document.toString({ lineWidth: 0 });
}
