/** Last page of the set-up: waits for the home, logs in, and shows the key for a phone. */

import { useEffect, useState } from "preact/hooks";
import type { AnswerOf } from "../../api/calls.ts";
import { Button, Copied } from "../elements.tsx";
import { isLoopback, PhoneLink } from "../phone-link.tsx";
import { call } from "../store/requests.ts";
import type { Translate } from "../words/language.ts";

export type SetupResult = AnswerOf<"POST /local/v1/setup">;

const CHECK_EVERY_MS = 500;
const SLOW_AFTER = 120;

type Progress = "starting" | "ready" | "slow";

interface SetupDoneProps {
  readonly result: SetupResult;
  readonly s: Translate<"setup">;
  readonly system: Translate<"system">;
  /** Called when the home could not be started and the demo is back. */
  readonly onFailed: () => void;
}

export function SetupDone({ result, s, system, onFailed }: SetupDoneProps) {
  const { key, urls, broker, file } = result;
  const [progress, setProgress] = useState<Progress>("starting");

  useEffect(() => {
    void started(key).then((outcome) => (outcome === "failed" ? onFailed() : setProgress(outcome)));
  }, []);
  return (
    <div class="setup-form">
      <p role="status">{s(`done_${progress}`)}</p>
      <PhoneLink apiKey={key} urls={urls} t={system} />
      <dl class="setup-facts">
        <Fact name={s("done_key")} value={key} />
      </dl>
      {broker && (
        <>
          <p class="soft">{s("done_broker")}</p>
          <dl class="setup-facts">
            <Fact name={s("done_broker_place")} value={`mqtt://${hostOf(urls)}:${broker.port}`} />
            <Fact name={s("username")} value={broker.username} />
            <Fact name={s("password")} value={broker.password} />
          </dl>
        </>
      )}
      <p class="faint setup-file">{s("done_file", { file })}</p>
      <div class="actions">
        <Button class="strong" disabled={progress === "starting"} onClick={() => location.reload()}>
          {s("done_open")}
        </Button>
      </div>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Copied text={value} />
      </dd>
    </div>
  );
}

/** The name of this machine for other devices. */
function hostOf([url]: readonly string[]): string {
  const { hostname } = location;
  return isLoopback(hostname) && url !== undefined ? new URL(url).hostname : hostname;
}

/** Waits until the daemon has started with the home, then logs in. */
async function started(key: string): Promise<"ready" | "slow" | "failed"> {
  for (let looks = 0; looks < SLOW_AFTER; looks++) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
    const setup = await call("GET /local/v1/setup", {}).catch(() => null);
    // A demo that was started again requires a new code, or reports why the home could not be started.
    if (setup?.state === "code" || (setup?.failure ?? null) !== null) return "failed";
    if (setup?.state !== "done") continue;
    const isIn = await call("POST /local/v1/session", {}, { body: { key } }).then(
      () => true,
      () => false,
    );
    if (isIn) return "ready";
  }
  return "slow";
}
