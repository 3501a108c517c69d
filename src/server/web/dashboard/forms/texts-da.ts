/** Dansk. */
import type { FormTextTable } from "./texts-en.ts";

export const formTexts: FormTextTable = {
  "plans[].name": { label: "Navn", about: "Navnet på planen. Emnerne i MQTT dannes af det." },
  "plans[].home": { label: "Hjem", about: "Hjemmet, hvis priser bruges." },
  "plans[].kind": {
    label: "Type",
    about: "Hvordan timerne vælges.",
    options: {
      window: "Én kørsel",
      slots: "Opdelte timer",
      below: "Når det er billigt",
      avoid: "Altid undtagen i dyre timer (undgå)",
    },
  },
  "plans[].hours": {
    label: "Timer",
    about: "Hvor længe planen kører; ved “undgå”, hvor længe den ikke kører. Et tal, eller 45m, 1h30m.",
  },
  "plans[].kwh": {
    label: "Energi pr. gang, kWh",
    about: "Hvad planen bruger pr. gang, så udgifter og besparelser kan vises i penge.",
  },
  "plans[].from": { label: "Ikke før", about: "Planen kører ikke før dette tidspunkt." },
  "plans[].ready_by": { label: "Færdig kl.", about: "Planen er færdig inden dette tidspunkt." },
  "plans[].days": {
    label: "Dage",
    about: "De dage, planen kører. Dagen for “ikke før” tæller.",
    options: { mon: "Man", tue: "Tir", wed: "Ons", thu: "Tor", fri: "Fre", sat: "Lør", sun: "Søn" },
  },
  "plans[].max_price": { label: "Højeste pris pr. kWh", about: "Planen kører ikke over denne pris." },
  "plans[].level": {
    label: "Prisniveau",
    about: "For “når det er billigt”: kører op til dette prisniveau.",
    options: {
      very_cheap: "Meget billig",
      cheap: "Billig",
      normal: "Normal",
      expensive: "Dyr",
      very_expensive: "Meget dyr",
    },
  },
  "plans[].percent": {
    label: "Billigste del af døgnet, %",
    about: "For “når det er billigt”: kører i døgnets billigste del.",
  },
  "plans[].fallback": {
    label: "Faste timer uden priser",
    about: "Timer, hvor planen kører, når priser mangler, fx 02:00-05:00.",
  },
  "plans[].use_forecast": {
    label: "Planlæg også efter skøn",
    about: "Skønnede priser tænder aldrig noget.",
  },
  "plans[].after": { label: "Efter planen", about: "En anden plan, der skal være færdig først." },
  "plans[].enabled": { label: "Slået til", about: "Om planen er aktiv." },
  "plugs[].name": { label: "Navn", about: "Navnet på stikkontakten." },
  "plugs[].family": { label: "Familie", about: "Stikkontaktens firmware eller protokol." },
  "plugs[].topic": { label: "MQTT-emne", about: "Stikkontaktens emne, skrevet som dens familie kræver det." },
  "plugs[].url": {
    label: "Adresse (HTTP)",
    about: "Dens adresse, når den styres over HTTP uden MQTT: kun Tasmota og Shelly.",
  },
  "plugs[].channel": { label: "Udgang", about: "Hvilken udgang, hvis enheden har flere." },
  "plugs[].plan": { label: "Plan", about: "Planen, den følger, eller flere: tændt, når mindst én af dem er tændt." },
  "plugs[].home": { label: "Hjem", about: "Hjemmet eller stedet, hvis signal den følger." },
  "plugs[].override": {
    label: "Betjent manuelt",
    about: "Hvad der sker, når nogen betjener den manuelt.",
    options: { respect: "Gælder til næste planlagte skift", enforce: "Følg planen" },
  },
  "plugs[].when_lost": {
    label: "Når signalet er ukendt",
    about: "Dens tilstand, når signalet er ukendt, og når elbro er stoppet.",
    options: { on: "Tændt", off: "Slukket", keep: "Som den var" },
  },
  "plugs[].min_on": { label: "Korteste tid tændt, minutter" },
  "plugs[].min_off": { label: "Korteste tid slukket, minutter" },
};
