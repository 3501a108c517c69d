/**
 * Asks the release feed once a day whether there is a newer version. The request has no identifier, no version and no
 * cookie. A failed request changes nothing and is repeated a day later.
 *
 * Sources: the release of GitHub's, Forgejo's and Gitea's API (`tag_name`, `html_url`, `draft`, `prerelease`), and a
 * package of a registry (`version`).
 */
import * as z from "zod/mini";
import { message, reasonOf, type Text, textIn } from "../../core/language/text.ts";
import { type KeyValue, readJson } from "../../core/runtime/key-value.ts";
import { runLoop } from "../../core/runtime/run-loop.ts";
import { type ReleaseUpdate, releasedVersion } from "../../core/status/release-update.ts";
import { foreignSources, foreignValue } from "../../core/text/foreign-text.ts";
import { DAY_MS, type EpochMs } from "../../core/time/interval.ts";
import { openTransport, type TransportOptions } from "../../service/client/http-transport.ts";
import type { IntegrationDeps } from "../integration-deps.ts";

export interface UpdateLoopDeps extends Pick<IntegrationDeps, "clock" | "heartbeat" | "log"> {
  /** URL of the newest release. */
  readonly feed: string;
  readonly memory: KeyValue;
  readonly proxy?: TransportOptions["proxy"];
  /** Called with the stored answer at the start, and with each new one. */
  readonly onRelease: (release: ReleaseUpdate) => void;
}

/** Name of the last answer and of its time in the key-value store. */
const MEMORY = "release_feed";
const CHECK_EVERY_MS: number = DAY_MS;
const TIMEOUT_MS = 15_000;
/** GitHub refuses requests without a name of the program. */
const HEADERS = { accept: "application/json", "user-agent": "elbro" };

const answer = z.object({
  tag_name: z.optional(z.string()),
  version: z.optional(z.string()),
  html_url: z.optional(z.string()),
  draft: z.optional(z.boolean()),
  prerelease: z.optional(z.boolean()),
});
const remembered = z.object({
  feed: z.string(),
  at: z.number(),
  version: z.nullable(z.string()),
  url: z.nullable(z.string()),
});

export class UpdateLoop {
  readonly #deps: UpdateLoopDeps;
  #nextAt: EpochMs = Number.NEGATIVE_INFINITY;
  #known: ReleaseUpdate | null = null;

  constructor(deps: UpdateLoopDeps) {
    this.#deps = deps;
    this.#restore();
  }

  async run(signal: AbortSignal): Promise<void> {
    await runLoop(this.#deps, signal, async () => {
      if (this.#nextAt <= this.#deps.clock.now()) await this.#check(signal);
      return this.#nextAt;
    });
  }

  /** Continues the day of the last answer, so that restarts send no further requests. */
  #restore(): void {
    const { memory, feed, clock, onRelease } = this.#deps;
    const stored = readJson(memory, MEMORY, remembered);
    if (stored?.feed !== feed) return;
    const { at, version, url } = stored;
    // A time in the future was written with a wrong clock.
    if (at <= clock.now()) this.#nextAt = at + CHECK_EVERY_MS;
    if (version === null) return;
    this.#known = { version, url };
    onRelease(this.#known);
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { feed, clock, memory, log, onRelease } = this.#deps;
    const now = clock.now();
    this.#nextAt = now + CHECK_EVERY_MS;
    const release = await this.#request(signal);
    if (signal.aborted) return;
    if ("why" in release) log.info({ feed, why: textIn("en", release.why) }, "the release feed cannot be read");
    else this.#known = release;
    const { version = null, url = null } = this.#known ?? {};
    memory.write(MEMORY, JSON.stringify({ feed, at: now, version, url }));
    if (this.#known) onRelease(this.#known);
  }

  async #request(signal: AbortSignal): Promise<ReleaseUpdate | { readonly why: Text }> {
    const { feed, proxy } = this.#deps;
    const { origin, pathname, search } = new URL(feed);
    const options = { timeoutMs: TIMEOUT_MS, maxBytes: foreignSources.update_feed.length, proxy };
    const transport = openTransport(origin, options);
    try {
      const { status, body } = await transport.get(`${pathname}${search}`, HEADERS, signal);
      return status === 200 ? releaseIn(String(body)) : { why: message("note.answered", { status, error: "" }) };
    } catch (error) {
      return { why: reasonOf(error, "no answer") };
    } finally {
      transport.close();
    }
  }
}

/** Returns the release in an answer of the feed, or the reason why it cannot be used. */
function releaseIn(text: string): ReleaseUpdate | { readonly why: Text } {
  const read = answer.safeParse(foreignValue("update_feed", text));
  if (!read.success) return { why: "the answer is not a release" };
  const { tag_name, version = tag_name ?? "", html_url, draft, prerelease } = read.data;
  const released = releasedVersion(version);
  if (released === null || draft || prerelease) return { why: `"${version.slice(0, 40)}" is not a released version` };
  return { version: released, url: html_url && /^https?:\/\//.test(html_url) ? html_url : null };
}
