/** Dialog that sets up a home in steps. Each step is checked before the next one. */
import { useEffect, useId, useState } from "preact/hooks";
import { KEY_NAME } from "../../core/text/key-name.ts";
import { Dialog } from "../dialog.tsx";
import { Choice } from "../elements.tsx";
import { usePage } from "../page.ts";
import { call, refusalIn } from "../store/requests.ts";
import { LANGUAGES, type Translate, translateIn } from "../words/language.ts";
import { AddressesStep, PlaceStep, ServiceStep } from "./service-steps.tsx";
import { SetupDone, type SetupResult } from "./setup-done.tsx";
import {
  type Account,
  type Choices,
  Input,
  StepForm,
  type StepProps,
  TextContext,
  useAsking,
  useTexts,
} from "./step-form.tsx";

const NOTHING: Choices = {
  key: "",
  thirdParty: null,
  place: null,
  addresses: [],
  homes: [],
  broker: null,
  homeAssistant: null,
};
const TITLES = {
  service: "service_title",
  addresses: "addresses_title",
  place: "place_title",
  broker: "broker_title",
  ha: "ha_title",
  last: "last_title",
} as const;
type Step = keyof typeof TITLES;

/** Returns the steps after the code of the log. */
function stepsOf({ thirdParty }: Choices): readonly (Step | "code")[] {
  return ["service", thirdParty ? "place" : "addresses", "broker", "ha", "last"];
}

export function Setup({ onClose }: { readonly onClose: () => void }) {
  const { t } = usePage();
  const [s, setTexts] = useState<Translate<"setup"> | null>(null);
  const [step, setStep] = useState<Step | "code" | null>(null);
  const [choices, setChoices] = useState(NOTHING);
  const [result, setResult] = useState<SetupResult | null>(null);
  /** Why the home that was set up before could not be started, in the language of the request. */
  const [failure, setFailure] = useState<string | null>(null);
  const begin = (first: Step) =>
    call("GET /local/v1/setup", {}).then(
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
  if (!s || !step) return null;
  if (result)
    return (
      <Dialog title={s("done_title")} onClose={() => location.reload()}>
        <SetupDone result={result} s={s} onFailed={() => void begin(firstStep).then(() => setResult(null))} />
      </Dialog>
    );
  const steps = stepsOf(choices);
  const index = steps.indexOf(step);
  const choose = (chosen: Partial<Choices>) => {
    const next = { ...choices, ...chosen };
    setChoices(next);
    setStep(stepsOf(next)[index + 1] ?? step);
  };
  const props = { choices, choose, onBack: () => setStep(steps[index - 1] ?? step) };
  return (
    <TextContext.Provider value={s}>
      <Dialog title={s("title")} onClose={onClose}>
        <p class="soft setup-step" role="status">
          {step === "code"
            ? s("code_title")
            : s("step", { step: index + 1, steps: steps.length, name: s(TITLES[step]) })}
        </p>
        {failure !== null && (
          <p class="wrong" role="alert">
            {s("not_started")} {failure}
          </p>
        )}
        {step === "code" ? (
          <CodeStep onIn={() => void begin(firstStep)} />
        ) : (
          <CurrentStep step={step} {...props} onDone={setResult} />
        )}
      </Dialog>
    </TextContext.Provider>
  );
}

interface CurrentStepProps extends StepProps {
  readonly step: Step;
  readonly onDone: (result: SetupResult) => void;
}

function CurrentStep({ step, onDone, ...props }: CurrentStepProps) {
  switch (step) {
    case "service":
      return <ServiceStep {...props} />;
    case "addresses":
      return <AddressesStep {...props} />;
    case "place":
      return <PlaceStep {...props} />;
    case "broker":
      return <BrokerStep {...props} />;
    case "ha":
      return <HomeAssistantStep {...props} />;
    case "last":
      return <LastStep {...props} onDone={onDone} />;
  }
}

function CodeStep({ onIn }: { readonly onIn: () => void }) {
  const s = useTexts();
  const { send, ...form } = useAsking();
  const [code, setCode] = useState("");
  const submit = async () => (await send("POST /local/v1/setup/code", { code: code || "-" })) && onIn();
  return (
    <StepForm {...form} help={s("code_help")} onSubmit={() => void submit()}>
      <Input label={s("code")} value={code} onText={setCode} />
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
    const tried = await send("POST /local/v1/setup/broker", given);
    if (tried?.works) choose({ broker: given });
    else if (tried) setWrong({ text: `${s("broker_failed")} ${tried.detail ?? ""}` });
  };
  return (
    <StepForm {...form} help={s("broker_help")} onSubmit={() => void submit()} onBack={onBack}>
      <Choice
        isList
        label={s("broker_title")}
        name="broker"
        options={(["inside", "external"] as const).map((value) => ({ value, text: s(`broker_${value}`) }))}
        chosen={isOwn ? "external" : "inside"}
        onChoose={(value) => setOwn(value === "external")}
      />
      {isOwn && (
        <>
          <Input
            label={s("broker_url")}
            help={s("broker_url_help")}
            value={account.url}
            onText={(url) => change({ url })}
          />
          <Input label={s("username")} value={account.username ?? ""} onText={(username) => change({ username })} />
          <Input
            label={s("password")}
            value={account.password ?? ""}
            onText={(password) => change({ password })}
            type="password"
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
    const tried = await send("POST /local/v1/setup/home-assistant", given);
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
      <Input label={s("ha_url")} help={s("ha_url_help")} value={url} onText={setUrl} />
      <Input label={s("ha_token")} help={s("ha_token_help")} value={token} onText={setToken} type="password" />
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
    const { key, thirdParty, place, addresses, homes, broker, homeAssistant } = choices;
    const some = addresses.filter((address) => homes.includes(address.id));
    const result = await send("POST /local/v1/setup", {
      ...(thirdParty ? { third_party: { ...thirdParty, places: [place] } } : { api_key: key }),
      broker,
      home_assistant: homeAssistant,
      language,
      key_name: name.trim(),
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
      <Input label={s("key_name")} help={s("key_name_help")} value={name} onText={setName} />
    </StepForm>
  );
}
