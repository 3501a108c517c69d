/** What each step of the set-up asks elbro before the next one is shown. */
import { useState } from "preact/hooks";
import type { AnswerOf } from "../../api/calls.ts";
import type { ConnectionName } from "../../config/settings.ts";
import type { JsonObject } from "../forms/fields.ts";
import { useSaving } from "../forms/schema-form.tsx";
import { usePage } from "../page.ts";
import { call, type Refusal } from "../store/requests.ts";
import { trialText, withDetail } from "../system/setting-tools.ts";
import type { Translate } from "../words/language.ts";
import type { SetupResult } from "./setup-done.tsx";
import {
  chosenKeys,
  chosenPlace,
  type Entered,
  enter,
  entered,
  type Step,
  serviceKeys,
  setupSteps,
  typedIn,
  typedText,
} from "./setup-steps.ts";

type Trial = AnswerOf<"POST /local/v1/setup/test">;

export interface StepDeps {
  readonly step: Step;
  readonly s: Translate<"setup">;
  readonly system: Translate<"system">;
  /** Called after the code of the log. */
  readonly onIn: () => Promise<void>;
  readonly onDone: (result: SetupResult) => void;
}

/** What the trials use. */
interface Tools {
  readonly s: Translate<"setup">;
  /** Shows the next step. */
  readonly go: (more?: Partial<Entered>) => void;
  readonly refuse: (text: string) => void;
  /** Shows why a test failed, or `text` with the detail. */
  readonly explain: (connection: ConnectionName, tried: Trial, text?: string | null) => void;
  /** Returns null if the test was refused. */
  readonly test: (connection: ConnectionName, keys: object, place?: object) => Promise<Trial | null>;
}

/** Returns the function that sends what a step asks, and its state. */
export function useStep({ step, s, system, onIn, onDone }: StepDeps) {
  const { t } = usePage();
  const { mistakes, isBusy, ask, refuse } = useSaving(undefined, (refusal) => refusalOf(refusal, step, s));
  /** What was typed when its test failed. */
  const [failed, setFailed] = useState("");
  const technical = t("technical_detail");
  const typed = JSON.stringify(typedIn(step, entered.value));
  const steps = setupSteps(entered.value);
  const tools: Tools = {
    s,
    refuse,
    go: (more = {}) => enter({ step: steps[steps.indexOf(step) + 1] ?? step, ...more }),
    explain: (connection, tried, text) =>
      refuse(text ? withDetail(text, tried.detail, technical) : trialText(system, connection, tried, technical)),
    test: (connection, keys, place) =>
      ask(call("POST /local/v1/setup/test", {}, { body: { connection, keys, place } })),
  };
  const submit = async () => {
    const now = entered.value;
    switch (step) {
      case "code":
        if (await ask(call("POST /local/v1/setup/code", {}, { body: typedIn(step, now) }))) await onIn();
        return;
      case "service":
        return tryKey(tools, now);
      case "addresses":
        return tools.go();
      case "place":
        return tryPlace(tools, now);
      case "broker":
      case "ha":
        if (failed === typed) return tools.go();
        return setFailed((await tryOptional(tools, step, now)) ? "" : JSON.stringify(typedIn(step, entered.value)));
      case "last": {
        const body = { keys: chosenKeys(now), key_name: typedText(now.values, "key_name") };
        const result = await ask(call("POST /local/v1/setup", {}, { body }));
        if (result) onDone(result);
      }
    }
  };
  return { mistakes, isBusy, submit, hasFailed: failed === typed };
}

async function tryKey({ s, go, explain, test }: Tools, now: Entered): Promise<void> {
  const { values, isPair } = now;
  // The service does not say which encoding of the hash it expects.
  for (const encoding of isPair ? ["hex", "base64"] : [undefined]) {
    const entries = { ...values, "third_party.hash_encoding": encoding };
    const tried = await test("service", serviceKeys({ ...now, values: entries }));
    if (!tried) return;
    const { works, addresses, problem } = tried;
    if (works) return go({ addresses, values: { ...entries, homes: addresses.map(({ id }) => id) } });
    const isWrong = problem === "invalid_token";
    explain("service", tried, isPair && isWrong ? s("pair_wrong") : null);
    if (!isWrong) return;
  }
}

/** Problems of a place that the service does not know. */
const UNKNOWN: readonly (string | null)[] = ["address_gone", "bad_request"];

async function tryPlace({ s, go, refuse, explain, test }: Tools, now: Entered): Promise<void> {
  const place = chosenPlace(now.values);
  if (!place) return refuse(s("place_needed"));
  const tried = await test("service", serviceKeys(now), place);
  if (!tried) return;
  const { works, problem, suggestions } = tried;
  const { address } = place;
  enter({ suggestions });
  if (!works) explain("service", tried, UNKNOWN.includes(problem) ? s("place_none") : null);
  else if (address !== undefined && !suggestions.includes(address)) refuse(s("place_choose"));
  else go({ suggestions: [], values: { ...now.values, "place.address": address, "place.found": undefined } });
}

/** Returns false if the test failed, so that it can be saved anyway. */
async function tryOptional({ go, explain, test }: Tools, step: "broker" | "ha", now: Entered): Promise<boolean> {
  const connection = step === "ha" ? "home_assistant" : "mqtt";
  const keys = typedIn(step, now);
  const tried = Object.keys(keys).length === 0 ? null : await test(connection, keys);
  if (tried) enter({ values: { ...now.values, ...tried.completed } as JsonObject, completed: tried.completed });
  if (tried && !tried.works) explain(connection, tried);
  else if (tried || Object.keys(keys).length === 0) go();
  return tried?.works !== false;
}

/** Why a request was refused, if not for a value of the form. */
function refusalOf({ status, reason, retryAfterSec }: Refusal, step: Step, s: Translate<"setup">) {
  const isCode = step === "code";
  if (status === null) return s("no_contact");
  if (isCode && status === 401) return s("code_wrong");
  if (isCode && status === 429) return s("code_wait", { seconds: retryAfterSec });
  return s("refused", { reason });
}
