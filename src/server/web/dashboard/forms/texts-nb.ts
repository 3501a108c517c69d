/** Norsk (bokmål). */
import type { FormTextTable } from "./texts-en.ts";

export const formTexts: FormTextTable = {
  "plans[].name": { label: "Navn", about: "Navnet på planen. Emnene i MQTT lages av det." },
  "plans[].home": { label: "Hjem", about: "Hjemmet som har prisene som brukes." },
  "plans[].kind": {
    label: "Type",
    about: "Hvordan timene velges.",
    options: {
      window: "Én kjøring",
      slots: "Oppdelte timer",
      below: "Når det er billig",
      avoid: "Alltid unntatt i dyre timer (unngå)",
    },
  },
  "plans[].hours": {
    label: "Timer",
    about: "Hvor lenge den kjører; ved «unngå» hvor lenge den ikke gjør det. Et tall, eller 45m, 1h30m.",
  },
  "plans[].kwh": {
    label: "Energi per gang, kWh",
    about: "Hva planen bruker per gang, så kostnader og besparelser kan vises i penger.",
  },
  "plans[].from": { label: "Ikke før", about: "Planen kjører ikke før dette tidspunktet." },
  "plans[].ready_by": { label: "Ferdig kl.", about: "Planen er ferdig før dette tidspunktet." },
  "plans[].days": {
    label: "Dager",
    about: "Dagene planen kjører. Dagen for «ikke før» gjelder.",
    options: { mon: "Man", tue: "Tir", wed: "Ons", thu: "Tor", fri: "Fre", sat: "Lør", sun: "Søn" },
  },
  "plans[].max_price": { label: "Høyeste pris per kWh", about: "Planen kjører ikke over denne prisen." },
  "plans[].level": {
    label: "Prisnivå",
    about: "For «når det er billig»: kjører opp til dette prisnivået.",
    options: {
      very_cheap: "Veldig billig",
      cheap: "Billig",
      normal: "Normal",
      expensive: "Dyr",
      very_expensive: "Veldig dyr",
    },
  },
  "plans[].percent": {
    label: "Billigste del av døgnet, %",
    about: "For «når det er billig»: kjører i døgnets billigste del.",
  },
  "plans[].fallback": {
    label: "Faste timer uten priser",
    about: "Timer planen kjører når priser mangler, for eksempel 02:00-05:00.",
  },
  "plans[].use_forecast": { label: "Planlegg også etter anslag", about: "Anslåtte priser slår aldri på noe." },
  "plans[].after": { label: "Etter planen", about: "En annen plan som må være ferdig først." },
  "plans[].enabled": { label: "Slått på", about: "Om planen er aktiv." },
  "plugs[].name": { label: "Navn", about: "Navnet på pluggen." },
  "plugs[].family": { label: "Familie", about: "Fastvaren eller protokollen til pluggen." },
  "plugs[].topic": { label: "MQTT-emne", about: "Emnet til pluggen, skrevet slik familien krever." },
  "plugs[].url": {
    label: "Adresse (HTTP)",
    about: "Adressen når den styres over HTTP uten MQTT: bare Tasmota og Shelly.",
  },
  "plugs[].channel": { label: "Utgang", about: "Hvilken utgang, hvis enheten har flere." },
  "plugs[].plan": { label: "Plan", about: "Planen den følger, eller flere: på når minst én av dem er på." },
  "plugs[].home": { label: "Hjem", about: "Hjemmet eller stedet som har signalet den følger." },
  "plugs[].override": {
    label: "Betjent manuelt",
    about: "Hva som skjer når noen betjener den manuelt.",
    options: { respect: "Gjelder til neste planlagte endring", enforce: "Følg planen" },
  },
  "plugs[].when_lost": {
    label: "Når signalet er ukjent",
    about: "Tilstanden når signalet er ukjent, og når elbro har stoppet.",
    options: { on: "På", off: "Av", keep: "Som den var" },
  },
  "plugs[].min_on": { label: "Korteste tid på, minutter" },
  "plugs[].min_off": { label: "Korteste tid av, minutter" },
};
