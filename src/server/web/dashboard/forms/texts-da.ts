/** Dansk. */
import type { FormTextTable } from "./texts-en.ts";

export const formTexts: FormTextTable = {
  "plans[].name": { label: "Navn", about: "Hvad den hedder. Emnerne i MQTT er lavet af det." },
  "plans[].home": { label: "Hjem", about: "Hjemmet, hvis priser tæller." },
  "plans[].kind": {
    label: "Slags",
    about: "Hvordan timerne vælges.",
    options: {
      window: "Én kørsel",
      slots: "Timer i stykker",
      below: "Når det er billigt",
      avoid: "Altid undtagen i dyre timer (undgå)",
    },
  },
  "plans[].hours": {
    label: "Timer",
    about: "Hvor længe den kører; ved ”undgå”, hvor længe den ikke gør. Et tal, eller 45m, 1h30m.",
  },
  "plans[].kwh": {
    label: "Energi pr. gang, kWh",
    about: "Hvad en omgang bruger, så omkostninger og besparelser kan vises i penge.",
  },
  "plans[].from": { label: "Ikke før", about: "Intet kører før dette tidspunkt." },
  "plans[].ready_by": { label: "Færdig kl.", about: "Alt har kørt inden dette tidspunkt." },
  "plans[].days": {
    label: "Dage",
    about: "De dage, den kører. Dagen for ”ikke før” tæller.",
    options: { mon: "Man", tue: "Tir", wed: "Ons", thu: "Tor", fri: "Fre", sat: "Lør", sun: "Søn" },
  },
  "plans[].max_price": { label: "Højeste pris pr. kWh", about: "Over denne pris kører intet." },
  "plans[].level": {
    label: "Prisniveau",
    about: "For ”når det er billigt”: kører op til dette prisniveau.",
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
    about: "For ”når det er billigt”: kører i døgnets billigste del.",
  },
  "plans[].fallback": {
    label: "Timer uden priser",
    about: "Timer, hvor den kører, når priser mangler, fx 02:00-05:00.",
  },
  "plans[].use_forecast": {
    label: "Planlæg også efter estimater",
    about: "Estimerede priser tænder aldrig for noget.",
  },
  "plans[].after": { label: "Efter planen", about: "En anden plan, der skal være færdig først." },
  "plans[].enabled": { label: "Slået til", about: "Om den gør noget overhovedet." },
  "plugs[].name": { label: "Navn", about: "Hvad den hedder." },
  "plugs[].family": { label: "Familie", about: "Hvad den forstår." },
  "plugs[].topic": { label: "MQTT-emne", about: "Hvor den lytter, som dens familie skriver det." },
  "plugs[].url": {
    label: "Adresse (HTTP)",
    about: "Dens adresse, når den styres over HTTP uden MQTT: kun Tasmota og Shelly.",
  },
  "plugs[].channel": { label: "Udgang", about: "Hvilken udgang, hvis enheden har flere." },
  "plugs[].plan": { label: "Plan", about: "Planen, den følger, eller flere: tændt, når en af dem vil det." },
  "plugs[].home": { label: "Hjem", about: "Hjemmet eller stedet, hvis signal den følger." },
  "plugs[].override": {
    label: "Betjent manuelt",
    about: "Hvad der sker, når nogen betjener den manuelt.",
    options: { respect: "Gælder til næste planlagte skift", enforce: "Planen vinder" },
  },
  "plugs[].when_lost": {
    label: "Uden kontakt",
    about: "Hvad den er, mens intet vides, og når elbro er stoppet.",
    options: { on: "Tændt", off: "Slukket", keep: "Som den var" },
  },
  "plugs[].min_on": { label: "Korteste tid tændt, minutter" },
  "plugs[].min_off": { label: "Korteste tid slukket, minutter" },
};
