/** Norsk (bokmål). */
import { LANGUAGES } from "../language.ts";
import type { FormTextTable } from "./texts-en.ts";

export const formTexts: FormTextTable = {
  "plans[].name": { label: "Navn", about: "Navnet på planen. Emnene i MQTT lages av det." },
  "plans[].home": { label: "Hjem", about: "Hjemmet som planen bruker prisene til." },
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
    about: "Hvor lenge planen kjører; ved «unngå» hvor lenge den ikke kjører. Et tall, eller 45m, 1h30m.",
  },
  "plans[].kwh": {
    label: "Energi per gang, kWh",
    about: "Energien planen bruker per gang, så kostnader og besparelser kan vises i penger.",
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
  "plugs[].family": {
    label: "Familie",
    about: "Fastvaren eller protokollen til pluggen.",
    options: {
      shelly_gen1: "Shelly Gen1",
      shelly_gen2: "Shelly Gen2",
      shelly_gen3: "Shelly Gen3",
      shelly_gen4: "Shelly Gen4",
      zigbee2mqtt: "Zigbee2MQTT",
      esphome: "ESPHome",
      custom: "Annet (egne emner)",
    },
  },
  "plugs[].topic": { label: "MQTT-emne", about: "Emnet til pluggen, skrevet slik familien krever." },
  "plugs[].url": {
    label: "Adresse (HTTP)",
    about: "Adressen når den styres over HTTP uten MQTT: bare Tasmota og Shelly.",
  },
  "plugs[].username": {
    label: "Brukernavn",
    about: "Brukernavnet til enhetens nettside; admin hvis ikke noe er angitt.",
  },
  "plugs[].password": {
    label: "Passord",
    about: "Passordet til enhetens nettside, hvis den har et.",
  },
  "plugs[].certificate": {
    label: "Sertifikat",
    about: "SHA-256-fingeravtrykk av enhetens sertifikat. Uten det gjelder sertifikatet fra den første tilkoblingen.",
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
  "plugs[].min_on": { label: "Korteste tid på, minutter", about: "Den korteste tiden pluggen er på." },
  "plugs[].min_off": { label: "Korteste tid av, minutter", about: "Den korteste tiden pluggen er av." },
  "plans[].id": { label: "Id", about: "Navnet på planen i MQTT-emnene, hvis det skal være et annet." },
  "plans[].up_to": {
    label: "Høyeste antall timer",
    about:
      "Sammen med «grense for billig»: høyeste antall timer så lenge det er billig. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].cheap_below": {
    label: "Grense for billig",
    about: "En pris, et prisnivå (for eksempel cheap) eller den billigste delen av døgnet (for eksempel 30%).",
  },
  "plans[].profile": {
    label: "Effekt gjennom kjøringen",
    about: "Den relative effekten i like lange deler av kjøringen, for eksempel 1, 3, 1.",
  },
  "plans[].min_run": {
    label: "Korteste kjøring",
    about: "Den korteste tiden planen kjører om gangen. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].min_pause": {
    label: "Korteste pause",
    about: "Den korteste pausen mellom to kjøringer. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].max_gap": {
    label: "Lengste tid av",
    about: "Den lengste tiden planen er av. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].at_most_runs": { label: "Høyeste antall kjøringer", about: "Hvor mange kjøringer timene høyst deles i." },
  "plans[].tolerance": {
    label: "Toleranse, %",
    about: "Hvor mange prosent over den beste prisen som fortsatt er akseptabelt.",
  },
  "plans[].tolerance_side": {
    label: "Valg mellom akseptable tider",
    about: "Om den tidligste eller den seneste av de akseptable tidene brukes.",
    options: { earliest: "Den tidligste", latest: "Den seneste" },
  },
  "plans[].after_pause": {
    label: "Minste pause etter den planen",
    about: "Den minste tiden fra slutten av den andre planen til starten av denne. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].power_limit": { label: "Aldri samtidig", about: "Planer med samme tekst her kjører aldri samtidig." },
  "plans[].energy": {
    label: "Energi, kWh",
    about: "Sammen med effekten, i stedet for timer og energi per gang: energien planen bruker per gang.",
  },
  "plans[].price": {
    label: "Pris å planlegge etter",
    about: "Planlegger etter eksportprisen i stedet for prisen på kjøpt strøm.",
    options: { export: "Eksportpris" },
  },
  "plans[].group": { label: "Effektgruppe", about: "Navnet på effektgruppen til planen." },
  "plans[].kw": { label: "Effekt, kW", about: "Effekten til planen mens den kjører." },
  "plans[].priority": {
    label: "Prioritet",
    about: "Rekkefølgen i gruppen når ikke alle planer kan kjøre: 1 er først.",
  },
  "plans[].when_short": {
    label: "Hvis ikke alle timene passer",
    about: "Om planen da kjører timene som er mulige.",
    options: { partial: "Kjør dem som passer", nothing: "Ikke kjør" },
  },
  "plans[].when_lost": {
    label: "Uten priser",
    about: "Tilstanden til planen når priser mangler eller klokken ikke er til å stole på.",
    options: { on: "På", off: "Av", keep: "Som den var" },
  },
  "plugs[].id": { label: "Id", about: "Navnet på pluggen i MQTT-emnene, hvis det skal være et annet." },
  "plugs[].signal": {
    label: "Signal fra hjemmet",
    about: "Signalet den følger, sammen med et hjem.",
    options: { cheap: "Billige timer" },
  },
  "plugs[].signal_topic": {
    label: "Ditt eget emne",
    about: "Et av dine MQTT-emner med ON eller OFF, som pluggen følger.",
  },
  "plugs[].inverted": { label: "Omvendt", about: "Om apparatet er på mens reléet er av (SG-Ready)." },
  "plugs[].on": { label: "Melding som slår på", about: "For egne emner: meldingen som slår på pluggen." },
  "plugs[].off": { label: "Melding som slår av", about: "For egne emner: meldingen som slår av pluggen." },
  "plugs[].dead_man": {
    label: "Melding som starter tidsbryteren",
    about: "For egne emner: meldingen som får pluggen til å slå seg av selv; {seconds} er tiden.",
  },
  "plugs[].ask": {
    label: "Melding som spør om tilstanden",
    about: "For egne emner: meldingen som spør om tilstanden til pluggen.",
  },
  "plugs[].state": { label: "Emne med tilstanden", about: "For egne emner: emnet med tilstanden til pluggen." },
  "plugs[].availability": {
    label: "Emne som viser om den kan nås",
    about: "For egne emner: emnet som viser om pluggen kan nås.",
  },
  "*.topic": { label: "MQTT-emne", about: "" },
  "*.payload": { label: "Melding", about: "" },
  "*.on": { label: "Når den er på", about: "Teksten, eller et regulært uttrykk mellom skråstreker." },
  "*.off": { label: "Når den er av", about: "Teksten, eller et regulært uttrykk mellom skråstreker." },
  "*.online": { label: "Når den kan nås", about: "Teksten, eller et regulært uttrykk mellom skråstreker." },
  "*.offline": { label: "Når den ikke kan nås", about: "Teksten, eller et regulært uttrykk mellom skråstreker." },
  language: {
    label: "Språk",
    about: "Språket for navn, begrunnelser og problemer i Home Assistant og i API-et. Denne siden har sitt eget valg.",
    options: LANGUAGES,
  },
  levels: {
    label: "Prisnivåer",
    about:
      "Øvre grenser for prisnivåene, som andel av gjennomsnittet for de siste tre dagene. Over dem er prisen veldig dyr.",
  },
  "levels.very_cheap": { label: "Veldig billig", about: "Veldig billig: opp til denne andelen av gjennomsnittet." },
  "levels.cheap": { label: "Billig", about: "Billig: opp til denne andelen; signalet «billig» er på opp til her." },
  "levels.normal": { label: "Normal", about: "Normal: opp til denne andelen." },
  "levels.expensive": { label: "Dyr", about: "Dyr: opp til denne andelen." },
  "levels.use_forecast": {
    label: "Bruk anslag for billig",
    about: "Om «billig» også kan være på etter en anslått pris så lenge den bekreftede mangler.",
  },
  notify: {
    label: "Varsler",
    about: "Sender varsler til telefoner gjennom en ntfy-server: din egen eller https://ntfy.sh.",
  },
  "notify.topic_url": {
    label: "Emne",
    about:
      "Adressen til emnet på ntfy-serveren, for eksempel https://ntfy.sh/mitt-hus-4821. Alle som kjenner navnet, kan lese med, så velg et som er vanskelig å gjette.",
  },
  "notify.token": { label: "Tilgangstoken", about: "Et token til serveren, hvis emnet krever det." },
  "notify.username": { label: "Bruker", about: "En bruker på serveren, sammen med passordet." },
  "notify.password": { label: "Passord", about: "Passordet til brukeren." },
  "notify.events": {
    label: "Send",
    about: "Hva som sendes.",
    options: {
      tomorrow: "Morgendagens priser",
      negative_prices: "Negative priser",
      plan: "En plan kan ikke kjøre",
      plug: "En smartplugg svarer ikke",
      problem: "Alle andre problemer",
    },
  },
  "notify.quiet_hours": {
    label: "Stilletid",
    about: "Tidsrom uten varsler, for eksempel 22:00-07:00. De som fortsatt er aktuelle, sendes etterpå.",
  },
  "notify.language": {
    label: "Språk",
    about: "Språket i varslene; ellers det samme som under innstillingen Språk.",
    options: LANGUAGES,
  },
  mdns: {
    label: "Navn på nettverket",
    about:
      "Navnet som siden finnes under på nettverket: elbro gir http://elbro.local:8080/. Uten navn kunngjøres ingenting.",
  },
  log: { label: "Logg", about: "Loggen som elbro skriver til standard ut." },
  "log.level": {
    label: "Laveste nivå",
    about: "Linjer som er mindre viktige, skrives ikke.",
    options: { debug: "Alt (debug)", info: "Normal (info)", warn: "Advarsler (warn)", error: "Feil (error)" },
  },
  "log.format": {
    label: "Format",
    about: "JSON for programmer, tekst for mennesker. Standard: tekst i en terminal, ellers JSON.",
    options: { json: "JSON", text: "Tekst" },
  },
  history: { label: "Historikk", about: "Hvor mye historikk som hentes." },
  "history.months": { label: "Måneder", about: "Antall måneder som hentes etter første start." },
  retention: { label: "Lagring", about: "Hvor lenge data lagres." },
  "retention.years": { label: "År", about: "Antall år data lagres." },
};
