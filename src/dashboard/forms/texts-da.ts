/** Dansk. */
import { LANGUAGES } from "../language.ts";
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
    about: "Hvor længe planen kører; ved ”undgå”, hvor længe den ikke kører. Et tal, eller 45m, 1h30m.",
  },
  "plans[].kwh": {
    label: "Energi pr. gang, kWh",
    about: "Den energi, planen bruger pr. gang, så udgifter og besparelser kan vises i penge.",
  },
  "plans[].from": { label: "Ikke før", about: "Planen kører ikke før dette tidspunkt." },
  "plans[].ready_by": { label: "Færdig kl.", about: "Planen er færdig inden dette tidspunkt." },
  "plans[].days": {
    label: "Dage",
    about: "De dage, planen kører. Dagen for ”ikke før” tæller.",
    options: { mon: "Man", tue: "Tir", wed: "Ons", thu: "Tor", fri: "Fre", sat: "Lør", sun: "Søn" },
  },
  "plans[].max_price": { label: "Højeste pris pr. kWh", about: "Planen kører ikke over denne pris." },
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
  "plugs[].family": {
    label: "Familie",
    about: "Stikkontaktens firmware eller protokol.",
    options: {
      shelly_gen1: "Shelly Gen1",
      shelly_gen2: "Shelly Gen2",
      shelly_gen3: "Shelly Gen3",
      shelly_gen4: "Shelly Gen4",
      zigbee2mqtt: "Zigbee2MQTT",
      esphome: "ESPHome",
      custom: "Andet (egne emner)",
    },
  },
  "plugs[].topic": { label: "MQTT-emne", about: "Stikkontaktens emne, skrevet som dens familie kræver det." },
  "plugs[].url": {
    label: "Adresse (HTTP)",
    about: "Dens adresse, når den styres over HTTP uden MQTT: kun Tasmota og Shelly.",
  },
  "plugs[].username": {
    label: "Brugernavn",
    about: "Brugernavnet til enhedens webside; admin, hvis intet er angivet.",
  },
  "plugs[].password": {
    label: "Adgangskode",
    about: "Adgangskoden til enhedens webside, hvis den har en.",
  },
  "plugs[].certificate": {
    label: "Certifikat",
    about: "SHA-256-fingeraftryk af enhedens certifikat. Uden det gælder certifikatet fra den første forbindelse.",
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
  "plugs[].min_on": { label: "Korteste tid tændt, minutter", about: "Den korteste tid, stikkontakten er tændt." },
  "plugs[].min_off": { label: "Korteste tid slukket, minutter", about: "Den korteste tid, stikkontakten er slukket." },
  "plans[].id": { label: "Id", about: "Planens navn i MQTT-emnerne, hvis det skal være et andet." },
  "plans[].up_to": {
    label: "Højeste antal timer",
    about:
      "Sammen med ”grænse for billigt”: det højeste antal timer, så længe det er billigt. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].cheap_below": {
    label: "Grænse for billigt",
    about: "En pris, et prisniveau (fx cheap) eller den billigste del af døgnet (fx 30%).",
  },
  "plans[].profile": {
    label: "Effekt i løbet af kørslen",
    about: "Den relative effekt i lige lange dele af kørslen, fx 1, 3, 1.",
  },
  "plans[].min_run": {
    label: "Korteste kørsel",
    about: "Den korteste tid, planen kører ad gangen. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].min_pause": {
    label: "Korteste pause",
    about: "Den korteste pause mellem to kørsler. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].max_gap": {
    label: "Længste tid slukket",
    about: "Den længste tid, planen er slukket. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].at_most_runs": { label: "Højeste antal kørsler", about: "Hvor mange kørsler timerne højst deles i." },
  "plans[].tolerance": {
    label: "Tolerance, %",
    about: "Hvor mange procent over den bedste pris der stadig er acceptabelt.",
  },
  "plans[].tolerance_side": {
    label: "Valg mellem acceptable tider",
    about: "Om den tidligste eller den seneste af de acceptable tider bruges.",
    options: { earliest: "Den tidligste", latest: "Den seneste" },
  },
  "plans[].after_pause": {
    label: "Mindste pause efter den plan",
    about: "Den mindste tid fra den anden plans slutning til denne plans start. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].power_limit": { label: "Aldrig samtidig", about: "Planer med samme tekst her kører aldrig samtidig." },
  "plans[].energy": {
    label: "Energi, kWh",
    about: "Sammen med effekten, i stedet for timer og energi pr. gang: den energi, planen bruger pr. gang.",
  },
  "plans[].price": {
    label: "Pris at planlægge efter",
    about: "Planlægger efter eksportprisen i stedet for prisen på købt strøm.",
    options: { export: "Eksportpris" },
  },
  "plans[].group": { label: "Effektgruppe", about: "Navnet på planens effektgruppe." },
  "plans[].kw": { label: "Effekt, kW", about: "Planens effekt, mens den kører." },
  "plans[].priority": {
    label: "Prioritet",
    about: "Rækkefølgen i gruppen, når ikke alle planer kan køre: 1 er først.",
  },
  "plans[].when_short": {
    label: "Hvis ikke alle timer passer",
    about: "Om planen så kører de timer, der er mulige.",
    options: { partial: "Kør dem, der passer", nothing: "Kør ikke" },
  },
  "plans[].when_lost": {
    label: "Uden priser",
    about: "Planens tilstand, når priser mangler, eller uret ikke er til at stole på.",
    options: { on: "Tændt", off: "Slukket", keep: "Som den var" },
  },
  "plugs[].id": { label: "Id", about: "Stikkontaktens navn i MQTT-emnerne, hvis det skal være et andet." },
  "plugs[].signal": {
    label: "Hjemmets signal",
    about: "Det signal, den følger, sammen med et hjem.",
    options: { cheap: "Billige timer" },
  },
  "plugs[].signal_topic": {
    label: "Dit eget emne",
    about: "Et af dine MQTT-emner med ON eller OFF, som stikkontakten følger.",
  },
  "plugs[].inverted": { label: "Omvendt", about: "Om apparatet er tændt, mens relæet er slukket (SG-Ready)." },
  "plugs[].on": { label: "Besked, der tænder", about: "For egne emner: beskeden, der tænder stikkontakten." },
  "plugs[].off": { label: "Besked, der slukker", about: "For egne emner: beskeden, der slukker stikkontakten." },
  "plugs[].dead_man": {
    label: "Besked, der starter dens timer",
    about: "For egne emner: beskeden, der får stikkontakten til selv at slukke; {seconds} er tiden.",
  },
  "plugs[].ask": {
    label: "Besked, der spørger om tilstanden",
    about: "For egne emner: beskeden, der spørger om stikkontaktens tilstand.",
  },
  "plugs[].state": {
    label: "Emne med dens tilstand",
    about: "For egne emner: emnet med stikkontaktens tilstand.",
  },
  "plugs[].availability": {
    label: "Emne, der viser, om den kan nås",
    about: "For egne emner: emnet, der viser, om stikkontakten kan nås.",
  },
  "*.topic": { label: "MQTT-emne", about: "" },
  "*.payload": { label: "Besked", about: "" },
  "*.on": { label: "Når den er tændt", about: "Teksten, eller et regulært udtryk mellem skråstreger." },
  "*.off": { label: "Når den er slukket", about: "Teksten, eller et regulært udtryk mellem skråstreger." },
  "*.online": { label: "Når den kan nås", about: "Teksten, eller et regulært udtryk mellem skråstreger." },
  "*.offline": { label: "Når den ikke kan nås", about: "Teksten, eller et regulært udtryk mellem skråstreger." },
  language: {
    label: "Sprog",
    about: "Sproget for navne, begrundelser og problemer i Home Assistant og i API’et. Denne side har sit eget valg.",
    options: LANGUAGES,
  },
  levels: {
    label: "Prisniveauer",
    about:
      "Øvre grænser for prisniveauerne, som andel af gennemsnittet af de seneste tre dage. Over dem er prisen meget dyr.",
  },
  "levels.very_cheap": { label: "Meget billig", about: "Meget billig: op til denne andel af gennemsnittet." },
  "levels.cheap": { label: "Billig", about: "Billig: op til denne andel; signalet ”billig” er tændt op til her." },
  "levels.normal": { label: "Normal", about: "Normal: op til denne andel." },
  "levels.expensive": { label: "Dyr", about: "Dyr: op til denne andel." },
  "levels.use_forecast": {
    label: "Brug skøn for billig",
    about: "Om ”billig” også må være tændt efter en skønnet pris, så længe den bekræftede pris mangler.",
  },
  notify: {
    label: "Notifikationer",
    about: "Sender notifikationer til telefoner gennem en ntfy-server: din egen eller https://ntfy.sh.",
  },
  "notify.topic_url": {
    label: "Emne",
    about:
      "Emnets adresse på ntfy-serveren, fx https://ntfy.sh/mit-hus-4821. Enhver, der kender navnet, kan læse med, så vælg et, der er svært at gætte.",
  },
  "notify.token": { label: "Adgangstoken", about: "Et token til serveren, hvis emnet kræver det." },
  "notify.username": { label: "Bruger", about: "En bruger på serveren, sammen med adgangskoden." },
  "notify.password": { label: "Adgangskode", about: "Brugerens adgangskode." },
  "notify.events": {
    label: "Send",
    about: "Hvad der sendes.",
    options: {
      tomorrow: "Morgendagens priser",
      negative_prices: "Negative priser",
      plan: "En plan kan ikke køre",
      plug: "En stikkontakt svarer ikke",
      problem: "Ethvert andet problem",
    },
  },
  "notify.quiet_hours": {
    label: "Stilletid",
    about: "Tidsrum uden notifikationer, fx 22:00-07:00. Dem, der stadig er aktuelle, sendes bagefter.",
  },
  "notify.language": {
    label: "Sprog",
    about: "Sproget i notifikationerne; ellers bruges indstillingen Sprog.",
    options: LANGUAGES,
  },
  mdns: {
    label: "Navn på netværket",
    about:
      "Navnet, som siden findes under på netværket: elbro giver http://elbro.local:8080/. Uden et navn meldes intet.",
  },
  log: { label: "Log", about: "Loggen, som elbro skriver til standardoutput." },
  "log.level": {
    label: "Laveste niveau",
    about: "Linjer, der er mindre vigtige, skrives ikke.",
    options: { debug: "Alt (debug)", info: "Normal (info)", warn: "Advarsler (warn)", error: "Fejl (error)" },
  },
  "log.format": {
    label: "Format",
    about: "JSON til programmer, tekst til mennesker. Standard: tekst i en terminal, ellers JSON.",
    options: { json: "JSON", text: "Tekst" },
  },
  history: { label: "Historik", about: "Hvor meget historik der hentes." },
  "history.months": { label: "Måneder", about: "Antal måneder, der hentes efter den første start." },
  retention: { label: "Opbevaring", about: "Hvor længe data gemmes." },
  "retention.years": { label: "År", about: "Antal år, data gemmes." },
};
