/** Norsk (bokmål). */
import type { FormTextTable } from "./texts-en.ts";

export const formTexts: FormTextTable = {
  "plans[].name": { label: "Navn", about: "Hva den heter. Emnene i MQTT er laget av det." },
  "plans[].home": { label: "Hjem", about: "Hjemmet som prisene gjelder for." },
  "plans[].kind": {
    label: "Type",
    about: "Hvordan timene velges.",
    options: {
      window: "Én kjøring",
      slots: "Timer i deler",
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
    about: "Hva en omgang bruker, så kostnader og besparelser kan vises i penger.",
  },
  "plans[].from": { label: "Ikke før", about: "Ingenting kjører før dette tidspunktet." },
  "plans[].ready_by": { label: "Ferdig kl.", about: "Alt har kjørt før dette tidspunktet." },
  "plans[].days": {
    label: "Dager",
    about: "Dagene den kjører. Dagen for «ikke før» gjelder.",
    options: { mon: "Man", tue: "Tir", wed: "Ons", thu: "Tor", fri: "Fre", sat: "Lør", sun: "Søn" },
  },
  "plans[].max_price": { label: "Høyeste pris per kWh", about: "Over denne prisen kjører ingenting." },
  "plans[].level": {
    label: "Prisnivå",
    about: "For «når det er billig»: kjører opp til dette prisnivået.",
    options: {
      very_cheap: "Svært billig",
      cheap: "Billig",
      normal: "Normal",
      expensive: "Dyr",
      very_expensive: "Svært dyr",
    },
  },
  "plans[].percent": {
    label: "Billigste del av døgnet, %",
    about: "For «når det er billig»: kjører i døgnets billigste del.",
  },
  "plans[].fallback": {
    label: "Timer uten priser",
    about: "Timer den kjører når priser mangler, for eksempel 02:00-05:00.",
  },
  "plans[].use_forecast": { label: "Planlegg også etter estimater", about: "Estimerte priser slår aldri på noe." },
  "plans[].after": { label: "Etter planen", about: "En annen plan som må være ferdig først." },
  "plans[].enabled": { label: "Slått på", about: "Om den gjør noe i det hele tatt." },
  "plugs[].name": { label: "Navn", about: "Hva den heter." },
  "plugs[].family": { label: "Familie", about: "Hva den forstår." },
  "plugs[].topic": { label: "MQTT-emne", about: "Hvor den lytter, slik familien skriver det." },
  "plugs[].url": {
    label: "Adresse (HTTP)",
    about: "Adressen når den styres over HTTP uten MQTT: bare Tasmota og Shelly.",
  },
  "plugs[].channel": { label: "Utgang", about: "Hvilken utgang, hvis enheten har flere." },
  "plugs[].plan": { label: "Plan", about: "Planen den følger, eller flere: på når en av dem vil det." },
  "plugs[].home": { label: "Hjem", about: "Hjemmet eller stedet hvis signal den følger." },
  "plugs[].override": {
    label: "Betjent manuelt",
    about: "Hva som skjer når noen betjener den manuelt.",
    options: { respect: "Gjelder til neste planlagte endring", enforce: "Planen vinner" },
  },
  "plugs[].when_lost": {
    label: "Uten kontakt",
    about: "Hva den er mens ingenting er kjent, og når elbro har stoppet.",
    options: { on: "På", off: "Av", keep: "Som den var" },
  },
  "plugs[].min_on": { label: "Korteste tid på, minutter" },
  "plugs[].min_off": { label: "Korteste tid av, minutter" },
};
