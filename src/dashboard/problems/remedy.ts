/** Where a problem can be fixed on the page, and how that is tested. */

import { addressOf } from "../route.ts";
import type { ProblemAnswer } from "../store/answers.ts";
import type { TextName } from "../words/language.ts";

export interface Remedy {
  readonly address: string;
  /** Name of the link to it. */
  readonly text: TextName;
  readonly trial: Trial | null;
}

interface Trial {
  readonly route:
    | "POST /local/v1/plugs/:plug/test"
    | "POST /local/v1/settings/:connection/test"
    | "POST /local/v1/notifications/test"
    | "POST /local/v1/set-aside/release";
  readonly params: { readonly plug?: string; readonly connection?: string };
  readonly body: object;
  readonly scope: "control" | "admin";
}

/** Connections by the codes of their problems, and what their link says. */
const CONNECTIONS: Partial<Readonly<Record<ProblemAnswer["code"], readonly [id: string, text: TextName]>>> = {
  invalid_token: ["service", "problem_key"],
  credential_expired: ["service", "problem_key"],
  no_addresses: ["service", "problem_key"],
  unreachable: ["service", "problem_connection"],
  broker_unreachable: ["mqtt", "problem_connection"],
  topics_refused: ["mqtt", "problem_connection"],
  home_assistant_unreachable: ["home_assistant", "problem_connection"],
  home_assistant_refused: ["home_assistant", "problem_connection"],
};

/** Returns what helps against a problem: its plug, its connection, its setting, or its details. */
export function remedyOf({ code, subject }: ProblemAnswer): Remedy {
  const [, plug] = code.startsWith("plug_") ? (/plug (.+)$/.exec(subject) ?? []) : [];
  if (plug !== undefined) {
    return {
      address: addressOf("plans", `plug-${plug}`),
      text: "problem_plug",
      trial: { route: "POST /local/v1/plugs/:plug/test", params: { plug }, body: {}, scope: "control" },
    };
  }
  const [connection, text = "show"] = CONNECTIONS[code] ?? [];
  if (connection !== undefined) {
    const route = "POST /local/v1/settings/:connection/test";
    return {
      address: addressOf("system", `setting-${connection}`),
      text,
      trial: { route, params: { connection }, body: { keys: {} }, scope: "admin" },
    };
  }
  if (code === "set_aside") {
    const trial = { route: "POST /local/v1/set-aside/release", params: {}, body: {}, scope: "admin" } as const;
    return { address: addressOf("system", "problems"), text: "show", trial };
  }
  if (code !== "notifications_failed") return { address: addressOf("system", "problems"), text: "show", trial: null };
  const trial = { route: "POST /local/v1/notifications/test", params: {}, body: {}, scope: "control" } as const;
  return { address: addressOf("system", "setting-notify"), text: "problem_settings", trial };
}
