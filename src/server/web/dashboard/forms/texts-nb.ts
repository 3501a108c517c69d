/** Norsk (bokmål). */
import { LANGUAGES } from "../language.ts";
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
  "plugs[].min_on": { label: "Korteste tid på, minutter", about: "Så lenge er den minst på." },
  "plugs[].min_off": { label: "Korteste tid av, minutter", about: "Så lenge er den minst av." },
  "plans[].id": { label: "Id", about: "Hva den heter i MQTT-emnene, hvis det ikke er navnet." },
  "plans[].up_to": {
    label: "Opptil, timer",
    about: "Sammen med «billig er»: høyeste antall timer så lenge det er billig. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].cheap_below": {
    label: "Billig er",
    about: "En pris, et prisnivå (for eksempel cheap) eller den billigste delen av døgnet (for eksempel 30%).",
  },
  "plans[].profile": {
    label: "Effekt gjennom kjøringen",
    about: "Den relative effekten i like lange deler av kjøringen, for eksempel 1, 3, 1.",
  },
  "plans[].min_run": {
    label: "Korteste kjøring",
    about: "Så lenge kjører den minst om gangen. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].min_pause": {
    label: "Korteste pause",
    about: "Så lenge er den minst av. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].max_gap": { label: "Lengste tid av", about: "Så lenge er den høyst av. Et tall i timer, eller 45m, 1h30m." },
  "plans[].at_most_runs": { label: "Flest kjøringer", about: "Hvor mange deler timene høyst kan deles i." },
  "plans[].tolerance": {
    label: "Toleranse, %",
    about: "Så mye dyrere enn det billigste kan det være og likevel regnes som like godt.",
  },
  "plans[].tolerance_side": {
    label: "Av like gode tider",
    about: "Om den tidligste eller den seneste av dem velges.",
    options: { earliest: "Den tidligste", latest: "Den seneste" },
  },
  "plans[].after_pause": {
    label: "Pause etter den planen",
    about: "Hvor lenge etter den andre planen. Et tall i timer, eller 45m, 1h30m.",
  },
  "plans[].power_limit": { label: "Aldri samtidig", about: "Planer med samme ord her kjører aldri samtidig." },
  "plans[].energy": {
    label: "Energi, kWh",
    about: "Sammen med effekten, i stedet for timer og energi per gang: hva en omgang skal bruke.",
  },
  "plans[].price": {
    label: "Pris som gjelder",
    about: "Om det er salgsprisen som gjelder i stedet for kjøpsprisen.",
    options: { export: "For solgt strøm" },
  },
  "plans[].group": { label: "Effektgruppe", about: "Navnet på effektgruppen den hører til." },
  "plans[].kw": { label: "Effekt, kW", about: "Hva den trekker mens den kjører." },
  "plans[].priority": { label: "Prioritet", about: "Hvem i gruppen som kjører når ikke alle kan: 1 vinner." },
  "plans[].when_short": {
    label: "Hvis ikke alle timene passer",
    about: "Om den da kjører timene som er mulige.",
    options: { partial: "Kjør dem som passer", nothing: "Ikke kjør" },
  },
  "plans[].when_lost": {
    label: "Uten priser",
    about: "Hva den vil når priser mangler eller klokken ikke er til å stole på.",
    options: { on: "På", off: "Av", keep: "Som den var" },
  },
  "plugs[].id": { label: "Id", about: "Hva den heter i MQTT-emnene, hvis det ikke er navnet." },
  "plugs[].signal": {
    label: "Signal fra hjemmet",
    about: "Signalet den følger, sammen med et hjem.",
    options: { cheap: "Billige timer" },
  },
  "plugs[].signal_topic": { label: "Ditt eget emne", about: "Et av dine MQTT-emner som sier ON eller OFF." },
  "plugs[].inverted": { label: "Omvendt", about: "Om apparatet er på mens reléet er av (SG-Ready)." },
  "plugs[].on": { label: "Melding som slår på", about: "For egne emner: hva som slår den på." },
  "plugs[].off": { label: "Melding som slår av", about: "For egne emner: hva som slår den av." },
  "plugs[].dead_man": {
    label: "Melding som starter timeren",
    about: "For egne emner: hva som får den til å slå av selv; {seconds} er tiden.",
  },
  "plugs[].ask": {
    label: "Melding som spør om tilstanden",
    about: "For egne emner: hva som får den til å melde tilstanden sin.",
  },
  "plugs[].state": { label: "Hvor den melder tilstanden sin", about: "For egne emner: hvor den melder om den er på." },
  "plugs[].availability": {
    label: "Hvor den melder at den er på nett",
    about: "For egne emner: hvor den melder om den kan nås.",
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
      "Hvor prisnivåene slutter, som del av gjennomsnittet for de siste tre dagene. Det som er dyrere, er veldig dyrt.",
  },
  "levels.very_cheap": { label: "Veldig billig", about: "Veldig billig er høyst denne delen av gjennomsnittet." },
  "levels.cheap": { label: "Billig", about: "Billig er høyst denne delen; signalet «billig» er på opp til her." },
  "levels.normal": { label: "Normal", about: "Normal er høyst denne delen." },
  "levels.expensive": { label: "Dyr", about: "Dyr er høyst denne delen." },
  "levels.use_forecast": {
    label: "Bruk anslag for billig",
    about: "Om «billig» også kan være på etter en anslått pris så lenge den bekreftede mangler.",
  },
  notify: {
    label: "Varsler",
    about: "Sender varsler til telefoner gjennom en ntfy-server: husets egen eller https://ntfy.sh.",
  },
  "notify.topic_url": {
    label: "Emne",
    about:
      "Adressen til emnet på ntfy-serveren, for eksempel https://ntfy.sh/mitt-hus-4821. Alle som kjenner navnet, kan lese med, så velg et som ingen gjetter.",
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
    about: "Tiden da ingenting sendes, for eksempel 22:00-07:00. Det som fortsatt gjelder etterpå, sendes da.",
  },
  "notify.language": {
    label: "Språk",
    about: "Språket i varslene; ellers det samme som under innstillingen Språk.",
    options: LANGUAGES,
  },
  mdns: {
    label: "Navn på nettverket",
    about:
      "Under dette navnet finner telefoner og datamaskiner siden: elbro blir til http://elbro.local:8080/. Uten navn kunngjøres ingenting.",
  },
  log: { label: "Logg", about: "Hva som skrives til programmets utskrift." },
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
  history: { label: "Historikk", about: "Hva som hentes fra tiden før." },
  "history.months": { label: "Måneder", about: "Hvor mange måneder tilbake som hentes etter første start." },
  retention: { label: "Lagring", about: "Hva som blir lagret." },
  "retention.years": { label: "År", about: "Hvor mange år som lagres." },
};
