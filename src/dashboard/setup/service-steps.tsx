/** Steps of the set-up for the key of the service, and for the homes or the place that it gives prices of. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Choice } from "../elements.tsx";
import type { Translate } from "../words/language.ts";
import { Input, StepForm, type StepProps, type Trial, useAsking, useTexts, type Wrong } from "./step-form.tsx";

interface KeyFormProps extends StepProps {
  /** Button that opens the form for the other kind of key. */
  readonly other: ComponentChildren;
}

export function ServiceStep(props: StepProps) {
  const s = useTexts();
  const [isThirdParty, setThirdParty] = useState(props.choices.thirdParty !== null);
  const Form = isThirdParty ? ThirdPartyForm : KeyForm;
  const other = (
    <button type="button" onClick={() => setThirdParty(!isThirdParty)}>
      {s(isThirdParty ? "key_instead" : "pair_instead")}
    </button>
  );
  return <Form {...props} other={other} />;
}

function KeyForm({ choices, choose, other }: KeyFormProps) {
  const s = useTexts();
  const { send, setWrong, ...form } = useAsking();
  const [key, setKey] = useState(choices.key);
  const submit = async () => {
    if (key.trim() === "") return setWrong({ text: s("service_invalid_token") });
    const tried = await send("POST /local/v1/setup/service", {
      api_key: key.trim(),
    });
    if (!tried) return;
    const { works, addresses } = tried;
    if (!works) return setWrong(serviceWrong(s, tried));
    choose({ key: key.trim(), thirdParty: null, addresses, homes: addresses.map(({ id }) => id) });
  };
  return (
    <StepForm {...form} help={s("service_help")} onSubmit={() => void submit()} buttons={other}>
      <Input label={s("api_key")} value={key} onText={setKey} type="password" />
    </StepForm>
  );
}

function ThirdPartyForm({ choices: { thirdParty }, choose, other }: KeyFormProps) {
  const s = useTexts();
  const { send, setWrong, ...form } = useAsking();
  const [key, setKey] = useState(thirdParty?.api_key ?? "");
  const [secret, setSecret] = useState(thirdParty?.api_secret ?? "");
  const submit = async () => {
    const pair = { api_key: key.trim(), api_secret: secret.trim() };
    if (!pair.api_key || !pair.api_secret) return setWrong({ text: s("pair_wrong") });
    // The service does not say which encoding it expects.
    for (const hash_encoding of ["hex", "base64"] as const) {
      const given = { ...pair, hash_encoding };
      const tried = await send("POST /local/v1/setup/third-party", given);
      if (!tried) return;
      if (tried.works) return choose({ key: "", thirdParty: given, addresses: [], homes: [] });
      if (tried.problem !== "invalid_token") return setWrong(serviceWrong(s, tried));
      setWrong({ text: s("pair_wrong"), technical: tried.detail });
    }
  };
  return (
    <StepForm {...form} help={s("pair_help")} onSubmit={() => void submit()} buttons={other}>
      <Input label={s("pair_key")} value={key} onText={setKey} type="password" />
      <Input label={s("pair_secret")} value={secret} onText={setSecret} type="password" />
    </StepForm>
  );
}

function serviceWrong(s: Translate<"setup">, { problem, detail }: Trial): Wrong {
  const why = `service_${problem}`;
  return { text: s(s.has(why) ? why : "service_service_trouble"), technical: detail };
}

export function AddressesStep({ choices: { addresses, homes }, choose, onBack }: StepProps) {
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
        {addresses.map(({ id, label, address, region }) => (
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
                {label}{" "}
                <span class="faint">
                  {address} {region}
                </span>
              </span>
            </label>
          </div>
        ))}
      </fieldset>
    </StepForm>
  );
}

/** Problems of a place that the service does not know. */
const UNKNOWN: readonly (string | null)[] = ["address_gone", "bad_request"];

export function PlaceStep({ choices: { thirdParty, place }, choose, onBack }: StepProps) {
  const s = useTexts();
  const { send, setWrong, ...form } = useAsking();
  const [kind, setKind] = useState<"address" | "region">(place?.region === undefined ? "address" : "region");
  const [where, setWhere] = useState(place?.address ?? place?.region ?? "");
  const [name, setName] = useState(place?.name ?? s("place_name_default"));
  const [found, setFound] = useState<readonly string[]>([]);
  const submit = async () => {
    const given = where.trim();
    if (given === "" || name.trim() === "") return setWrong({ text: s("place_needed") });
    const tried = await send("POST /local/v1/setup/third-party", {
      ...thirdParty,
      [kind]: given,
    });
    if (!tried) return;
    const { works, problem, detail, suggestions } = tried;
    setFound(suggestions);
    if (!works)
      setWrong(UNKNOWN.includes(problem) ? { text: s("place_none"), technical: detail } : serviceWrong(s, tried));
    else if (kind === "address" && !suggestions.includes(given)) setWrong({ text: s("place_choose") });
    else choose({ place: { name: name.trim(), [kind]: given } });
  };
  return (
    <StepForm {...form} help={s("place_help")} onSubmit={() => void submit()} onBack={onBack}>
      <Choice
        isList
        label={s("place_title")}
        name="place-kind"
        options={(["address", "region"] as const).map((value) => ({ value, text: s(`place_kind_${value}`) }))}
        chosen={kind}
        onChoose={(value) => {
          setKind(value);
          setWhere("");
          setFound([]);
        }}
      />
      <Input label={s(`place_label_${kind}`)} help={s(`place_example_${kind}`)} value={where} onText={setWhere} />
      {found.length > 0 && (
        <Choice
          isList
          label={s("place_choose")}
          name="place"
          options={found.map((value) => ({ value, text: value }))}
          chosen={where}
          onChoose={setWhere}
        />
      )}
      <Input label={s("place_name")} help={s("place_name_help")} value={name} onText={setName} />
    </StepForm>
  );
}
