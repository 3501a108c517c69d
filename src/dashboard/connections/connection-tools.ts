/** What the list of connections and its form share. */
import type { SavedConnections } from "../../api/connections.ts";
import type { Translate } from "../language.ts";

export type Connection = SavedConnections["connections"][number];
type Texts = Translate<"system">;

/** Result of a test. */
export interface Trial {
  readonly works: boolean;
  readonly detail: string | null;
}

/** Returns the label of a key of a connection. */
export function keyLabel(t: Texts, key: string): string {
  const name = `connection_${key.replace(".", "_")}`;
  return t.has(name) ? t(name) : key;
}

/** Returns the result of a test in one sentence. */
export function trialText(t: Texts, { works, detail }: Trial): string {
  return works ? t("connection_works") : t("connection_fails", { why: detail ?? "" });
}
