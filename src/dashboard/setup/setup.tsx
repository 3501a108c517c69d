/** Dialog that sets up a home in steps. Each is a form, and is tested before the next one. */

import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../dialog.tsx";
import { Button } from "../elements.tsx";
import { draftOf, dropDraft } from "../forms/drafts.ts";
import type { JsonObject } from "../forms/fields.ts";
import { type FormTexts, formTextsIn } from "../forms/form-texts.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { usePage } from "../page.ts";
import { call, refusalIn } from "../store/requests.ts";
import { type Translate, translateIn } from "../words/language.ts";
import { SetupDone, type SetupResult } from "./setup-done.tsx";
import {
  enter,
  entered,
  type Step,
  setupSteps,
  stepDefaults,
  stepExamples,
  stepSchema,
  stepTexts,
  typedIn,
} from "./setup-steps.ts";
import { type StepDeps, useStep } from "./step-trials.ts";

type Texts = { readonly s: Translate<"setup">; readonly system: Translate<"system">; readonly forms: FormTexts };

export function Setup({ onClose }: { readonly onClose: () => void }) {
  const { t } = usePage();
  const [texts, setTexts] = useState<Texts | null>(null);
  const [state, setState] = useState<{ readonly isLocked: boolean; readonly failure: string | null } | null>(null);
  const [result, setResult] = useState<SetupResult | null>(null);
  const begin = () =>
    call("GET /local/v1/setup", {}).then(
      ({ state: found, failure }) => {
        if (found === "done") return location.reload();
        setState({ isLocked: found === "code", failure });
      },
      (thrown: unknown) => refusalIn(thrown) && onClose(),
    );
  useEffect(() => {
    const { language } = t;
    const loaded = [translateIn("setup", language), translateIn("system", language), formTextsIn(language)] as const;
    void Promise.all(loaded).then(([s, system, forms]) => setTexts({ s, system, forms }));
    void begin();
  }, []);
  if (!texts || !state) return null;
  const { s } = texts;
  if (result)
    return (
      <Dialog title={s("done_title")} onClose={() => location.reload()}>
        <SetupDone result={result} {...texts} onFailed={() => void begin().then(() => setResult(null))} />
      </Dialog>
    );
  // Entered values are kept if the home could not be started, so only the last step is shown again.
  const step = state.isLocked ? "code" : entered.value.step;
  const steps = setupSteps(entered.value);
  const facts = { step: steps.indexOf(step) + 1, steps: steps.length, name: s(`title_${step}`) };
  return (
    <Dialog title={s("title")} onClose={onClose}>
      <p class="soft setup-step" role="status">
        {step === "code" ? s("title_code") : s("step", facts)}
      </p>
      {state.failure !== null && (
        <p class="wrong" role="alert">
          {s("not_started")} {state.failure}
        </p>
      )}
      <StepForm key={`${step} ${entered.value.isPair}`} step={step} texts={texts} onIn={begin} onDone={setResult} />
    </Dialog>
  );
}

interface StepFormProps extends Pick<StepDeps, "step" | "onIn" | "onDone"> {
  readonly texts: Texts;
}

function StepForm({ step, texts, onIn, onDone }: StepFormProps) {
  const { s, forms } = texts;
  const now = entered.value;
  const { values, isPair } = now;
  const steps = setupSteps(now);
  const done = (result: SetupResult) => {
    for (const name of steps) dropDraft(`setup-${name}`);
    onDone(result);
  };
  const { mistakes, isBusy, submit, hasFailed } = useStep({ step, ...texts, onIn, onDone: done });
  const schema = stepSchema(step, now);
  const names = Object.keys(schema.properties ?? {});
  const nothing = Object.fromEntries(names.map((name) => [name, undefined]));
  const keep = (typed: JsonObject) => enter({ values: { ...entered.value.values, ...nothing, ...typed } });
  const draft = `setup-${step}`;
  const before = steps[steps.indexOf(step) - 1];
  const isSkipped = step === "ha" && Object.keys(typedIn(step, now)).length === 0;
  const last = step === "last" ? "finish" : isSkipped ? "skip" : "next";
  return (
    <>
      <p class="soft">{helpOf(step, now, s)}</p>
      <SchemaForm
        key={JSON.stringify([now.suggestions, now.completed])}
        schema={schema}
        path=""
        texts={{ ...forms, ...stepTexts(s, now) }}
        value={{ ...stepDefaults(s), ...draftOf(draft), ...values }}
        {...(step !== "code" && { draft })}
        mistakes={mistakes}
        examples={stepExamples}
        submitText={s(isBusy ? "checking" : hasFailed ? "anyway" : last)}
        onSubmit={(typed) => {
          keep(typed);
          if (!isBusy) void submit();
        }}
        onChange={keep}
      >
        {step === "service" && (
          <Button onClick={() => enter({ isPair: !isPair })} text={s(isPair ? "key_instead" : "pair_instead")} />
        )}
        {before && <Button onClick={() => enter({ step: before })} text={s("back")} />}
      </SchemaForm>
    </>
  );
}

function helpOf(step: Step, { isPair, addresses }: typeof entered.value, s: Texts["s"]): string {
  if (step === "service" && isPair) return s("pair_help");
  return s(step === "addresses" && addresses.length === 0 ? "addresses_none" : `help_${step}`);
}
