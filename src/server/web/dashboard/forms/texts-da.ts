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
    about: "Hvad planen bruger pr. gang, så udgifter og besparelser kan vises i penge.",
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
  "plugs[].min_on": { label: "Korteste tid tændt, minutter", about: "Så længe er den mindst tændt." },
  "plugs[].min_off": { label: "Korteste tid slukket, minutter", about: "Så længe er den mindst slukket." },
  "plans[].id": { label: "Id", about: "Hvad den hedder i MQTT-emnerne, hvis det ikke er navnet." },
  "plans[].up_to": {
    label: "Op til, timer",
    about:
      "Sammen med ”billigt er”: det højeste antal timer, så længe det er billigt. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].cheap_below": {
    label: "Billigt er",
    about: "En pris, et prisniveau (fx cheap) eller den billigste del af døgnet (fx 30%).",
  },
  "plans[].profile": {
    label: "Effekt i løbet af kørslen",
    about: "Den relative effekt i lige lange dele af kørslen, fx 1, 3, 1.",
  },
  "plans[].min_run": {
    label: "Korteste kørsel",
    about: "Så længe kører den mindst ad gangen. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].min_pause": {
    label: "Korteste pause",
    about: "Så længe holder den mindst pause. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].max_gap": {
    label: "Længste tid slukket",
    about: "Så længe er den højst slukket. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].at_most_runs": { label: "Flest kørsler", about: "I hvor mange stykker timerne højst må deles." },
  "plans[].tolerance": {
    label: "Tolerance, %",
    about: "Så meget dyrere end det billigste må det være og stadig tælle som lige godt.",
  },
  "plans[].tolerance_side": {
    label: "Af lige gode tider",
    about: "Om den tidligste eller den seneste af dem vælges.",
    options: { earliest: "Den tidligste", latest: "Den seneste" },
  },
  "plans[].after_pause": {
    label: "Pause efter den plan",
    about: "Hvor længe efter den anden plan. Et tal i timer, eller 45m, 1h30m.",
  },
  "plans[].power_limit": { label: "Aldrig samtidig", about: "Planer med samme ord her kører aldrig samtidig." },
  "plans[].energy": {
    label: "Energi, kWh",
    about: "Sammen med effekten, i stedet for timer og energi pr. gang: hvad en omgang skal bruge.",
  },
  "plans[].price": {
    label: "Pris at planlægge efter",
    about: "Om det er salgsprisen, der tæller, i stedet for købsprisen.",
    options: { export: "For solgt strøm" },
  },
  "plans[].group": { label: "Effektgruppe", about: "Navnet på den effektgruppe, den hører til." },
  "plans[].kw": { label: "Effekt, kW", about: "Hvad den trækker, mens den kører." },
  "plans[].priority": { label: "Prioritet", about: "Hvem i gruppen der kører, når ikke alle kan: 1 vinder." },
  "plans[].when_short": {
    label: "Hvis ikke alle timer passer",
    about: "Om den så kører de timer, der er mulige.",
    options: { partial: "Kør dem, der passer", nothing: "Kør ikke" },
  },
  "plans[].when_lost": {
    label: "Uden priser",
    about: "Hvad den vil, når priser mangler, eller uret ikke er til at stole på.",
    options: { on: "Tændt", off: "Slukket", keep: "Som den var" },
  },
  "plugs[].id": { label: "Id", about: "Hvad den hedder i MQTT-emnerne, hvis det ikke er navnet." },
  "plugs[].signal": {
    label: "Hjemmets signal",
    about: "Det signal, den følger, sammen med et hjem.",
    options: { cheap: "Billige timer" },
  },
  "plugs[].signal_topic": { label: "Dit eget emne", about: "Et af dine MQTT-emner, der siger ON eller OFF." },
  "plugs[].inverted": { label: "Omvendt", about: "Om apparatet er tændt, mens relæet er slukket (SG-Ready)." },
  "plugs[].on": { label: "Besked, der tænder", about: "For egne emner: hvad der tænder den." },
  "plugs[].off": { label: "Besked, der slukker", about: "For egne emner: hvad der slukker den." },
  "plugs[].dead_man": {
    label: "Besked, der starter dens timer",
    about: "For egne emner: hvad der får den til selv at slukke; {seconds} er tiden.",
  },
  "plugs[].ask": {
    label: "Besked, der spørger om tilstanden",
    about: "For egne emner: hvad der får den til at melde sin tilstand.",
  },
  "plugs[].state": {
    label: "Hvor den melder sin tilstand",
    about: "For egne emner: hvor den melder, om den er tændt.",
  },
  "plugs[].availability": {
    label: "Hvor den melder, at den er på nettet",
    about: "For egne emner: hvor den melder, om den kan nås.",
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
      "Hvor prisniveauerne ender, som del af gennemsnittet af de seneste tre dage. Det, der er dyrere, er meget dyrt.",
  },
  "levels.very_cheap": { label: "Meget billig", about: "Meget billigt er højst denne del af gennemsnittet." },
  "levels.cheap": { label: "Billig", about: "Billigt er højst denne del; signalet ”billig” er tændt op til her." },
  "levels.normal": { label: "Normal", about: "Normalt er højst denne del." },
  "levels.expensive": { label: "Dyr", about: "Dyrt er højst denne del." },
  "levels.use_forecast": {
    label: "Brug skøn for billig",
    about: "Om ”billig” også må være tændt efter en skønnet pris, så længe den bekræftede pris mangler.",
  },
  notify: {
    label: "Notifikationer",
    about: "Sender notifikationer til telefoner gennem en ntfy-server: husets egen eller https://ntfy.sh.",
  },
  "notify.topic_url": {
    label: "Emne",
    about:
      "Emnets adresse på ntfy-serveren, fx https://ntfy.sh/mit-hus-4821. Enhver, der kender navnet, kan læse med, så vælg et, som ingen gætter.",
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
    about: "Tiden, hvor intet sendes, fx 22:00-07:00. Det, der stadig gælder bagefter, sendes da.",
  },
  "notify.language": {
    label: "Sprog",
    about: "Sproget i notifikationerne; ellers det samme som ovenfor under Sprog.",
    options: LANGUAGES,
  },
  mdns: {
    label: "Navn på netværket",
    about:
      "Under dette navn finder telefoner og computere siden: elbro bliver til http://elbro.local:8080/. Uden navn meldes intet.",
  },
  log: { label: "Log", about: "Hvad der skrives til programmets udskrift." },
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
  history: { label: "Historik", about: "Hvad der hentes fra tiden før." },
  "history.months": { label: "Måneder", about: "Hvor mange måneder tilbage der hentes efter den første start." },
  retention: { label: "Opbevaring", about: "Hvad der bliver gemt." },
  "retention.years": { label: "År", about: "Hvor mange år der gemmes." },
};
