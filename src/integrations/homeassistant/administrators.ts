/**
 * Administrators of Home Assistant among the users that its ingress forwards. The headers of ingress name the user but
 * not the role, so Home Assistant's list of users decides.
 *
 * Source: supervisor/api/ingress.py (`X-Remote-User-Id`); components/config/auth.py (`config/auth/list`); in
 * auth/models.py a user is an administrator as owner or in the group `system-admin`, and only while active.
 */
import * as z from "zod/mini";
import { errorPlace } from "../../core/status/start-error.ts";
import { type EpochMs, MINUTE_MS, SECOND_MS } from "../../core/time/interval.ts";
import { type HomeAssistantAccount, HomeAssistantClient, HomeAssistantError } from "./websocket-client.ts";

const ADMINISTRATORS = "system-admin";
/** Time after which the list is requested again while users open the page: a changed role applies within it. */
const LIST_LASTS_MS: number = 5 * MINUTE_MS;
/** Time between failed requests. Home Assistant may start after elbro. */
const RETRY_AFTER_MS: number = 10 * SECOND_MS;

const userList = z.array(
  z.object({ id: z.string(), is_owner: z.boolean(), is_active: z.boolean(), group_ids: z.array(z.string()) }),
);

export interface AdministratorsDeps {
  readonly account: HomeAssistantAccount;
  readonly signal: AbortSignal;
  readonly log: { warn(facts: object, text: string): void };
}

export class Administrators {
  readonly #deps: AdministratorsDeps;
  #ids: ReadonlySet<string> = new Set();
  #nextAt: EpochMs = Number.NEGATIVE_INFINITY;

  constructor(deps: AdministratorsDeps) {
    this.#deps = deps;
  }

  /** Returns whether a user is known as an administrator. Until Home Assistant has answered, nobody is. */
  has(userId: string, now: EpochMs): boolean {
    void this.keepCurrent(now);
    return this.#ids.has(userId);
  }

  /** Requests the list if it is not current. Resolves when it has arrived or the request has failed. Never rejects. */
  async keepCurrent(now: EpochMs): Promise<void> {
    if (now < this.#nextAt && now >= this.#nextAt - LIST_LASTS_MS) return;
    this.#nextAt = now + LIST_LASTS_MS;
    try {
      this.#ids = await this.#request();
    } catch (error) {
      if (this.#deps.signal.aborted) return;
      this.#nextAt = now + RETRY_AFTER_MS;
      const why = error instanceof HomeAssistantError ? error.message : errorPlace(error);
      this.#deps.log.warn({ why }, "Home Assistant does not name its administrators");
    }
  }

  async #request(): Promise<ReadonlySet<string>> {
    const { account, signal } = this.#deps;
    const client = await HomeAssistantClient.connect(account, signal);
    try {
      const users = userList.safeParse(await client.ask({ type: "config/auth/list" }));
      if (!users.success) throw new HomeAssistantError("refused", "its list of users has another form");
      const administrators = users.data.filter(
        ({ is_active, is_owner, group_ids }) => is_active && (is_owner || group_ids.includes(ADMINISTRATORS)),
      );
      return new Set(administrators.map(({ id }) => id));
    } finally {
      client.close();
    }
  }
}
