/** Checks Home Assistant's WebSocket for `elbro check --online`: logs in and disconnects. */
import type { Config } from "../../config/schema.ts";
import { type CheckResult, checkResultOf } from "./admin-api.ts";

/** Returns the result of the check; null if Home Assistant is not configured. */
export async function checkHomeAssistant({
  home_assistant,
}: Pick<Config, "home_assistant">): Promise<CheckResult | null> {
  if (!home_assistant) return null;
  const { HomeAssistantClient } = await import("../../integrations/homeassistant/websocket-client.ts");
  const part = "Home Assistant";
  try {
    (await HomeAssistantClient.connect(home_assistant, new AbortController().signal)).close();
    return checkResultOf(part, null, "it accepts the token");
  } catch (error) {
    return checkResultOf(part, error instanceof Error && error.message ? error.message : "no connection", "");
  }
}
