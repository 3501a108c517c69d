/** What the steps of the set-up share: what was chosen, the form of a step, and its request. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { RouteName, RouteParamsOf } from "../../api/calls.ts";
import { LabelledInput, type LabelledInputProps } from "../labelled-input.tsx";
import { usePage } from "../page.ts";
import { call, refusalIn } from "../store/requests.ts";
import type { Translate } from "../words/language.ts";

export interface Address {
  readonly id: string;
  readonly label: string;
  readonly address: string;
  readonly region: string;
}

/** Key and secret of the third-party interface. */
export interface ThirdParty {
  readonly api_key: string;
  readonly api_secret: string;
  readonly hash_encoding: "hex" | "base64";
}

/** A place whose prices are shown, by its address or region. */
export interface Place {
  readonly name: string;
  readonly address?: string;
  readonly region?: string;
}

export interface Trial {
  readonly works: boolean;
  readonly problem: string | null;
  readonly detail: string | null;
}

export type Account = { readonly url: string; readonly username?: string; readonly password?: string };

/** Values of the finished steps. */
export interface Choices {
  readonly key: string;
  /** Set if there is no key of the app. */
  readonly thirdParty: ThirdParty | null;
  readonly place: Place | null;
  readonly addresses: readonly Address[];
  readonly homes: readonly string[];
  readonly broker: Account | null;
  readonly homeAssistant: { readonly url: string; readonly token: string } | null;
}

export const TextContext = createContext<Translate<"setup"> | null>(null);

export function useTexts(): Translate<"setup"> {
  const texts = useContext(TextContext);
  if (!texts) throw new Error("a step outside of the set-up");
  return texts;
}

export interface StepProps {
  readonly choices: Choices;
  /** Stores values and opens the next step. */
  readonly choose: (chosen: Partial<Choices>) => void;
  readonly onBack: () => void;
}

/** An error in the language of the page, with an English reason or technical detail. */
export interface Wrong {
  readonly text: string;
  readonly detail?: string | null;
  /** Answer of the service or cause of the failed connection. */
  readonly technical?: string | null;
}

interface StepFormProps {
  readonly help: string;
  readonly wrong: Wrong | null;
  readonly isBusy: boolean;
  readonly submitText?: string;
  readonly onSubmit: () => void;
  readonly onBack?: (() => void) | undefined;
  /** Further buttons. */
  readonly buttons?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function StepForm({ help, wrong, isBusy, submitText, onSubmit, onBack, buttons, children }: StepFormProps) {
  const s = useTexts();
  const { t } = usePage();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, select")?.focus(), []);
  return (
    <form
      ref={form}
      class="setup-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSubmit();
      }}
    >
      <p class="soft">{help}</p>
      {children}
      <div role="alert">
        {wrong && !isBusy && (
          <p class="wrong">
            {wrong.text} {wrong.detail && <span lang="en">{wrong.detail}</span>}
            {wrong.technical && (
              <span class="faint">
                {t("technical_detail")}: <span lang="en">{wrong.technical}</span>
              </span>
            )}
          </p>
        )}
      </div>
      <div class="actions">
        <button type="submit" class="strong" aria-disabled={isBusy}>
          {isBusy ? s("checking") : (submitText ?? s("next"))}
        </button>
        {buttons}
        {onBack && (
          <button type="button" onClick={onBack}>
            {s("back")}
          </button>
        )}
      </div>
    </form>
  );
}

/** Input of a step. */
export function Input(props: LabelledInputProps) {
  return <LabelledInput class="field-row" {...props} />;
}

/** Requests of the set-up, which have no parameters. */
type SetupRoute = Extract<RouteName, `POST /local/v1/setup${string}`>;

/** Returns a function that sends the request of a step, and the state and error of that request. */
export function useAsking() {
  const s = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const note = (route: SetupRoute, thrown: unknown) => {
    const { status, reason, mistakes, retryAfterSec } = refusalIn(thrown);
    const isCode = route === "POST /local/v1/setup/code";
    const detail = mistakes.map(({ text }) => text).join("; ") || reason;
    if (status === null) setWrong({ text: s("no_contact") });
    else if (isCode && status === 401) setWrong({ text: s("code_wrong") });
    else if (isCode && status === 429) setWrong({ text: s("code_wait", { seconds: retryAfterSec }) });
    else setWrong({ text: s("refused", { reason: "" }), detail });
    return null;
  };
  const send = <Asked extends SetupRoute>(route: Asked, body: object) => {
    setBusy(true);
    setWrong(null);
    return call<Asked>(route, {} as RouteParamsOf<Asked>, { body })
      .catch((thrown: unknown) => note(route, thrown))
      .finally(() => setBusy(false));
  };
  return { isBusy, wrong, setWrong, send };
}
