/** The text of a first `elbro.yaml`, of what was chosen at the set-up. */
import { Document } from "yaml";

/** What was chosen. What is left out has its default. */
export interface SetupChoices {
  readonly apiKey: string;
  /** The addresses that are homes; null for all, also those that come later. */
  readonly homes: readonly { readonly id: string; readonly label: string }[] | null;
  /** Null for the broker inside elbro. */
  readonly broker: { readonly url: string; readonly username?: string; readonly password?: string } | null;
  /** Who may log in to the broker inside elbro. */
  readonly brokerUser: { readonly name: string; readonly password: string };
  readonly homeAssistant: { readonly url: string; readonly token: string } | null;
  readonly language: string;
}

/** `day` as `2026-11-23`. */
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
    if (typeof item === "object" && item !== null) Object.assign(item, { comment: ` ${label.replace(/\s+/g, " ")}` });
  });
  return document.toString({ lineWidth: 0 });
}
