/** Dialog that sets up a home in steps. Each step is checked before the next one. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { KEY_NAME } from "../../core/text/key-name.ts";
import { Dialog } from "../dialog.tsx";
import { LANGUAGES, type Translate, translateIn } from "../language.ts";
import { usePage } from "../page.ts";
import { ask, get, refusalIn } from "../requests.ts";
import { SetupDone, type SetupResult, type SetupState } from "./setup-done.tsx";

interface Address {
  readonly id: string;
  readonly label: string;
  readonly region: string;
}

interface Trial {
  readonly works: boolean;
  readonly problem: string | null;
  readonly detail: string | null;
}

type Account = { readonly url: string; readonly username?: string; readonly password?: string };

/** Values of the finished steps. */
interface Choices {
  readonly key: string;
  readonly addresses: readonly Address[];
  readonly homes: readonly string[];
  readonly broker: Account | null;
  readonly homeAssistant: { readonly url: string; readonly token: string } | null;
}

const NOTHING: Choices = { key: "", addresses: [], homes: [], broker: null, homeAssistant: null };
const STEPS = ["service", "addresses", "broker", "ha", "last"] as const;
const TITLES = {
  service: "service_title",
  addresses: "addresses_title",
  broker: "broker_title",
  ha: "ha_title",
  last: "last_title",
} as const;
type Step = "code" | (typeof STEPS)[number];

const TextContext = createContext<Translate<"setup"> | null>(null);

function useTexts(): Translate<"setup"> {
  const texts = useContext(TextContext);
  if (!texts) throw new Error("a step outside of the set-up");
  return texts;
}

export function Setup({ onClose }: { readonly onClose: () => void }) {
  const { t } = usePage();
  const [s, setTexts] = useState<Translate<"setup"> | null>(null);
  const [step, setStep] = useState<Step | null>(null);
  const [choices, setChoices] = useState(NOTHING);
  const [result, setResult] = useState<SetupResult | null>(null);
  /** Why the home that was set up before could not be started, in English. */
  const [failure, setFailure] = useState<string | null>(null);
  const begin = (first: Step) =>
    get<SetupState>("local/v1/setup").then(
      ({ state, failure: why }) => {
        if (state === "done") return location.reload();
        setFailure(why);
        setStep(state === "code" ? "code" : first);
      },
      (thrown: unknown) => refusalIn(thrown) && onClose(),
    );
  useEffect(() => {
    void translateIn("setup", t.language).then((texts) => setTexts(() => texts));
    void begin("service");
  }, []);
  /** Entered values are kept if the home could not be started, so only the last step is shown again. */
  const firstStep = choices === NOTHING ? "service" : "last";
  const failed = () => void begin(firstStep).then(() => setResult(null));
  if (!s || !step) return null;
  if (result)
    return (
      <Dialog title={s("done_title")} onClose={() => location.reload()}>
        <SetupDone result={result} s={s} onFailed={failed} />
      </Dialog>
    );
  const index = STEPS.indexOf(step as (typeof STEPS)[number]);
  const choose = (chosen: Partial<Choices>) => {
    setChoices((before) => ({ ...before, ...chosen }));
    setStep(STEPS[index + 1] ?? step);
  };
  const props = { choices, choose, onBack: () => setStep(STEPS[index - 1] ?? step) };
  return (
    <TextContext.Provider value={s}>
      <Dialog title={s("title")} onClose={onClose}>
        <p class="soft setup-step" role="status">
          {step === "code"
            ? s("code_title")
            : s("step", { step: index + 1, steps: STEPS.length, name: s(TITLES[step]) })}
        </p>
        {failure !== null && (
          <p class="wrong" role="alert">
            {s("not_started")} <span lang="en">{failure}</span>
          </p>
        )}
        {step === "code" && <CodeStep onIn={() => void begin(firstStep)} />}
        {step === "service" && <ServiceStep {...props} />}
        {step === "addresses" && <AddressesStep {...props} />}
        {step === "broker" && <BrokerStep {...props} />}
        {step === "ha" && <HomeAssistantStep {...props} />}
        {step === "last" && <LastStep {...props} onDone={setResult} />}
      </Dialog>
    </TextContext.Provider>
  );
}

interface StepProps {
  readonly choices: Choices;
  /** Stores values and opens the next step. */
  readonly choose: (chosen: Partial<Choices>) => void;
  readonly onBack: () => void;
}

/** An error in the language of the page, with an English reason or technical detail. */
interface Wrong {
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

function StepForm({ help, wrong, isBusy, submitText, onSubmit, onBack, buttons, children }: StepFormProps) {
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

interface InputProps {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly isSecret?: boolean;
}

const PLAIN = { type: "text" } as const;
const SECRET = { type: "password" } as const;

function Input({ label, help, value, onInput, isSecret = false }: InputProps) {
  const id = useId();
  return (
    <div class="field-row">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(isSecret ? SECRET : PLAIN)}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby={help && `${id}-help`}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {help && (
        <p id={`${id}-help`} class="faint">
          {help}
        </p>
      )}
    </div>
  );
}

/** Returns a function that sends the request of a step, and the state and error of that request. */
function useAsking() {
  const s = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const send = async <Answer,>(path: string, body: object): Promise<Answer | null> => {
    setBusy(true);
    setWrong(null);
    try {
      return await ask<Answer>("POST", `local/v1/${path}`, body);
    } catch (thrown) {
      const { status, reason, mistakes, retryAfterSec } = refusalIn(thrown);
      if (status === null) setWrong({ text: s("no_contact") });
      else if (path === "setup/code" && status === 401) setWrong({ text: s("code_wrong") });
      else if (path === "setup/code" && status === 429) setWrong({ text: s("code_wait", { seconds: retryAfterSec }) });
      else
        setWrong({ text: s("refused", { reason: "" }), detail: mistakes.map(({ text }) => text).join("; ") || reason });
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, wrong, setWrong, send };
}

function CodeStep({ onIn }: { readonly onIn: () => void }) {
  const s = useTexts();
  const { send, ...form } = useAsking();
  const [code, setCode] = useState("");
  const submit = async () => (await send("setup/code", { code: code || "-" })) && onIn();
  return (
    <StepForm {...form} help={s("code_help")} onSubmit={() => void submit()}>
      <Input label={s("code")} value={code} onInput={setCode} />
    </StepForm>
  );
}

function ServiceStep({ choices, choose }: StepProps) {
  const s = useTexts();
  const { send, setWrong, ...form } = useAsking();
  const [key, setKey] = useState(choices.key);
  const submit = async () => {
    if (key.trim() === "") return setWrong({ text: s("service_invalid_token") });
    const tried = await send<Trial & { readonly addresses: readonly Address[] }>("setup/service", {
      api_key: key.trim(),
    });
    if (!tried) return;
    const { works, problem, detail, addresses } = tried;
    if (works) return choose({ key: key.trim(), addresses, homes: addresses.map(({ id }) => id) });
    const why = `service_${problem}`;
    setWrong({ text: s(s.has(why) ? why : "service_service_trouble"), technical: detail });
  };
  return (
    <StepForm {...form} help={s("service_help")} onSubmit={() => void submit()}>
      <Input label={s("api_key")} value={key} onInput={setKey} isSecret />
    </StepForm>
  );
}

function AddressesStep({ choices: { addresses, homes }, choose, onBack }: StepProps) {
  const s = useTexts();
  const [chosen, setChosen] = useState(homes);
  const [wrong, setWrong] = useState<Wrong | null>(null);
  const submit = () => {
    if (addresses.length > 0 && chosen.length === 0) setWrong({ text: s("addresses_needed") });
    else choose({ homes: chosen });
  };
  return (
    <StepForm
      help={s(addresses.length === 0 ? "addresses_none" : "addresses_help")}
      wrong={wrong}
      isBusy={false}
      onSubmit={submit}
      onBack={onBack}
    >
      <fieldset>
        <legend class="unseen">{s("addresses_title")}</legend>
        {addresses.map(({ id, label, region }) => (
          <div key={id}>
            <label class="check">
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen(
                    addresses.flatMap((each) => ((each.id === id ? checked : chosen.includes(each.id)) ? each.id : [])),
                  )
                }
              />
              <span>
                {label} <span class="faint">{region}</span>
              </span>
            </label>
          </div>
        ))}
      </fieldset>
    </StepForm>
  );
}

function BrokerStep({ choices, choose, onBack }: StepProps) {
  const s = useTexts();
  const { send, setWrong, ...form } = useAsking();
  const [isOwn, setOwn] = useState(choices.broker !== null);
  const [account, setAccount] = useState<Account>(choices.broker ?? { url: "mqtt://" });
  const change = (part: Partial<Account>) => setAccount((before) => ({ ...before, ...part }));
  const submit = async () => {
    if (!isOwn) return choose({ broker: null });
    const { url, username = "", password = "" } = account;
    const given = { url: url.trim(), ...(username && { username }), ...(password && { password }) };
    const tried = await send<Trial>("setup/broker", given);
    if (tried?.works) choose({ broker: given });
    else if (tried) setWrong({ text: `${s("broker_failed")} ${tried.detail ?? ""}` });
  };
  return (
    <StepForm {...form} help={s("broker_help")} onSubmit={() => void submit()} onBack={onBack}>
      <fieldset>
        <legend class="unseen">{s("broker_title")}</legend>
        {([false, true] as const).map((own) => (
          <div key={String(own)}>
            <label class="check">
              <input type="radio" name="broker" checked={isOwn === own} onChange={() => setOwn(own)} />
              <span>{s(own ? "broker_external" : "broker_inside")}</span>
            </label>
          </div>
        ))}
      </fieldset>
      {isOwn && (
        <>
          <Input
            label={s("broker_url")}
            help={s("broker_url_help")}
            value={account.url}
            onInput={(url) => change({ url })}
          />
          <Input label={s("username")} value={account.username ?? ""} onInput={(username) => change({ username })} />
          <Input
            label={s("password")}
            value={account.password ?? ""}
            onInput={(password) => change({ password })}
            isSecret
          />
        </>
      )}
    </StepForm>
  );
}

function HomeAssistantStep({ choices, choose, onBack }: StepProps) {
  const s = useTexts();
  const { send, setWrong, ...form } = useAsking();
  const [url, setUrl] = useState(choices.homeAssistant?.url ?? "");
  const [token, setToken] = useState(choices.homeAssistant?.token ?? "");
  const isEmpty = url.trim() === "" && token.trim() === "";
  const submit = async () => {
    if (isEmpty) return choose({ homeAssistant: null });
    const given = { url: url.trim(), token: token.trim() };
    const tried = await send<Trial>("setup/home-assistant", given);
    if (tried?.works) choose({ homeAssistant: given });
    else if (tried) {
      const key =
        tried.problem === "token" ? "ha_refused_token" : tried.problem === "refused" ? "ha_refused" : "ha_unreachable";
      setWrong({ text: s(key), technical: tried.detail });
    }
  };
  return (
    <StepForm
      {...form}
      help={s("ha_help")}
      submitText={s(isEmpty ? "skip" : "next")}
      onSubmit={() => void submit()}
      onBack={onBack}
    >
      <Input label={s("ha_url")} help={s("ha_url_help")} value={url} onInput={setUrl} />
      <Input label={s("ha_token")} help={s("ha_token_help")} value={token} onInput={setToken} isSecret />
    </StepForm>
  );
}

function LastStep({ choices, onBack, onDone }: StepProps & { readonly onDone: (result: SetupResult) => void }) {
  const { t } = usePage();
  const s = useTexts();
  const id = useId();
  const { send, setWrong, ...form } = useAsking();
  const [language, setLanguage] = useState<string>(t.language);
  const [name, setName] = useState<string>(s("key_name_default"));
  const submit = async () => {
    if (!KEY_NAME.test(name.trim())) return setWrong({ text: s("key_name_wrong") });
    const { key, addresses, homes, broker, homeAssistant } = choices;
    const some = addresses.filter((address) => homes.includes(address.id));
    const result = await send<SetupResult>("setup", {
      ...{ api_key: key, broker, home_assistant: homeAssistant, language, key_name: name.trim() },
      homes:
        some.length === addresses.length ? null : some.map((address) => ({ id: address.id, label: address.label })),
    });
    if (result) onDone(result);
  };
  return (
    <StepForm
      {...form}
      help={s("language_help")}
      submitText={s("finish")}
      onSubmit={() => void submit()}
      onBack={onBack}
    >
      <div class="field-row">
        <label for={id}>{s("language")}</label>
        <select id={id} value={language} onChange={({ currentTarget }) => setLanguage(currentTarget.value)}>
          {Object.entries(LANGUAGES).map(([value, text]) => (
            <option key={value} value={value} lang={value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <Input label={s("key_name")} help={s("key_name_help")} value={name} onInput={setName} />
    </StepForm>
  );
}
