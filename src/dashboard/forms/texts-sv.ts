/** Svenska. */
import { LANGUAGES } from "../language.ts";
import type { FormTextTable } from "./texts-en.ts";

export const formTexts: FormTextTable = {
  "plans[].name": { label: "Namn", about: "Planens namn. Ämnena i MQTT bildas av det." },
  "plans[].home": { label: "Hem", about: "Hemmet vars priser används." },
  "plans[].kind": {
    label: "Typ",
    about: "Hur timmarna väljs.",
    options: {
      window: "En körning",
      slots: "Uppdelade timmar",
      below: "När det är billigt",
      avoid: "Alltid utom dyra timmar (undvik)",
    },
  },
  "plans[].hours": {
    label: "Timmar",
    about: "Hur länge planen körs; vid ”undvik” hur länge den inte körs. Ett tal, eller 45m, 1h30m.",
  },
  "plans[].kwh": {
    label: "Energi per gång, kWh",
    about: "Energin som planen använder per gång, så att kostnader och besparingar kan visas i pengar.",
  },
  "plans[].from": { label: "Inte före", about: "Planen körs inte före den här tiden." },
  "plans[].ready_by": { label: "Klar kl.", about: "Planen är klar före den här tiden." },
  "plans[].days": {
    label: "Dagar",
    about: "Dagarna planen körs. Dagen för ”inte före” gäller.",
    options: { mon: "Mån", tue: "Tis", wed: "Ons", thu: "Tor", fri: "Fre", sat: "Lör", sun: "Sön" },
  },
  "plans[].max_price": { label: "Högsta pris per kWh", about: "Planen körs inte över det här priset." },
  "plans[].level": {
    label: "Prisnivå",
    about: "För ”när det är billigt”: körs upp till den här prisnivån.",
    options: {
      very_cheap: "Mycket billigt",
      cheap: "Billigt",
      normal: "Normalt",
      expensive: "Dyrt",
      very_expensive: "Mycket dyrt",
    },
  },
  "plans[].percent": {
    label: "Billigaste delen av dygnet, %",
    about: "För ”när det är billigt”: körs i dygnets billigaste del.",
  },
  "plans[].fallback": {
    label: "Fasta timmar utan priser",
    about: "Timmar då planen körs när priser saknas, till exempel 02:00-05:00.",
  },
  "plans[].use_forecast": {
    label: "Planera även på uppskattningar",
    about: "Uppskattade priser slår aldrig på något.",
  },
  "plans[].after": { label: "Efter planen", about: "En annan plan som måste vara klar först." },
  "plans[].enabled": { label: "Aktiverad", about: "Om planen är aktiv." },
  "plugs[].name": { label: "Namn", about: "Uttagets namn." },
  "plugs[].family": {
    label: "Familj",
    about: "Uttagets firmware eller protokoll.",
    options: {
      shelly_gen1: "Shelly Gen1",
      shelly_gen2: "Shelly Gen2",
      shelly_gen3: "Shelly Gen3",
      shelly_gen4: "Shelly Gen4",
      zigbee2mqtt: "Zigbee2MQTT",
      esphome: "ESPHome",
      custom: "Annat (egna ämnen)",
    },
  },
  "plugs[].topic": { label: "MQTT-ämne", about: "Uttagets ämne, skrivet så som dess familj kräver." },
  "plugs[].url": {
    label: "Adress (HTTP)",
    about: "Uttagets adress när det styrs över HTTP utan MQTT: endast Tasmota och Shelly.",
  },
  "plugs[].username": {
    label: "Användarnamn",
    about: "Användarnamnet till enhetens webbsida; admin om inget anges.",
  },
  "plugs[].password": {
    label: "Lösenord",
    about: "Lösenordet till enhetens webbsida, om den har ett.",
  },
  "plugs[].certificate": {
    label: "Certifikat",
    about: "SHA-256-fingeravtryck av enhetens certifikat. Utan det gäller certifikatet från den första anslutningen.",
  },
  "plugs[].channel": { label: "Utgång", about: "Vilken utgång, om enheten har flera." },
  "plugs[].plan": { label: "Plan", about: "Planen det följer, eller flera: på när minst en av dem är på." },
  "plugs[].home": { label: "Hem", about: "Hemmet eller platsen vars signal det följer." },
  "plugs[].override": {
    label: "Manuellt styrt",
    about: "Vad som händer när någon styr det manuellt.",
    options: { respect: "Gäller till nästa planerade ändring", enforce: "Följ planen" },
  },
  "plugs[].when_lost": {
    label: "När signalen är okänd",
    about: "Dess läge när signalen är okänd och när elbro har stannat.",
    options: { on: "På", off: "Av", keep: "Som det var" },
  },
  "plugs[].min_on": { label: "Kortaste tid på, minuter", about: "Den kortaste tid som uttaget är på." },
  "plugs[].min_off": { label: "Kortaste tid av, minuter", about: "Den kortaste tid som uttaget är av." },
  "plans[].id": { label: "Id", about: "Planens namn i MQTT-ämnena, om det ska vara ett annat." },
  "plans[].up_to": {
    label: "Högsta antal timmar",
    about:
      "Tillsammans med ”gräns för billigt”: högsta antal timmar så länge det är billigt. Ett tal i timmar, eller 45m, 1h30m.",
  },
  "plans[].cheap_below": {
    label: "Gräns för billigt",
    about: "Ett pris, en prisnivå (till exempel cheap) eller den billigaste delen av dygnet (till exempel 30%).",
  },
  "plans[].profile": {
    label: "Effekt under körningen",
    about: "Den relativa effekten i lika långa delar av körningen, till exempel 1, 3, 1.",
  },
  "plans[].min_run": {
    label: "Kortaste körning",
    about: "Den kortaste tid som planen körs åt gången. Ett tal i timmar, eller 45m, 1h30m.",
  },
  "plans[].min_pause": {
    label: "Kortaste paus",
    about: "Den kortaste pausen mellan två körningar. Ett tal i timmar, eller 45m, 1h30m.",
  },
  "plans[].max_gap": {
    label: "Längsta tid av",
    about: "Den längsta tid som planen är av. Ett tal i timmar, eller 45m, 1h30m.",
  },
  "plans[].at_most_runs": { label: "Högsta antal körningar", about: "Hur många körningar timmarna högst delas i." },
  "plans[].tolerance": {
    label: "Tolerans, %",
    about: "Hur många procent över det bästa priset som fortfarande är godtagbart.",
  },
  "plans[].tolerance_side": {
    label: "Val mellan godtagbara tider",
    about: "Om den tidigaste eller den senaste av de godtagbara tiderna används.",
    options: { earliest: "Den tidigaste", latest: "Den senaste" },
  },
  "plans[].after_pause": {
    label: "Minsta paus efter den planen",
    about:
      "Den minsta tiden från den andra planens slut till den här planens start. Ett tal i timmar, eller 45m, 1h30m.",
  },
  "plans[].power_limit": { label: "Aldrig samtidigt", about: "Planer med samma text här körs aldrig samtidigt." },
  "plans[].energy": {
    label: "Energi, kWh",
    about: "Tillsammans med effekten, i stället för timmar och energi per gång: energin som planen använder per gång.",
  },
  "plans[].price": {
    label: "Pris att planera efter",
    about: "Planerar efter exportpriset i stället för priset på köpt el.",
    options: { export: "Exportpris" },
  },
  "plans[].group": { label: "Effektgrupp", about: "Namnet på planens effektgrupp." },
  "plans[].kw": { label: "Effekt, kW", about: "Planens effekt medan den körs." },
  "plans[].priority": { label: "Prioritet", about: "Ordningen i gruppen när inte alla planer kan köras: 1 är först." },
  "plans[].when_short": {
    label: "Om inte alla timmar får plats",
    about: "Om planen då körs de timmar som är möjliga.",
    options: { partial: "Kör dem som får plats", nothing: "Kör inte" },
  },
  "plans[].when_lost": {
    label: "Utan priser",
    about: "Planens läge när priser saknas eller klockan inte går att lita på.",
    options: { on: "På", off: "Av", keep: "Som det var" },
  },
  "plugs[].id": { label: "Id", about: "Uttagets namn i MQTT-ämnena, om det ska vara ett annat." },
  "plugs[].signal": {
    label: "Hemmets signal",
    about: "Signalen som uttaget följer, tillsammans med ett hem.",
    options: { cheap: "Billiga timmar" },
  },
  "plugs[].signal_topic": {
    label: "Ditt eget ämne",
    about: "Ett av dina MQTT-ämnen med ON eller OFF, som uttaget följer.",
  },
  "plugs[].inverted": { label: "Omvänt", about: "Om apparaten är på medan reläet är av (SG-Ready)." },
  "plugs[].on": { label: "Meddelande som slår på", about: "För egna ämnen: meddelandet som slår på uttaget." },
  "plugs[].off": { label: "Meddelande som slår av", about: "För egna ämnen: meddelandet som slår av uttaget." },
  "plugs[].dead_man": {
    label: "Meddelande som startar dess timer",
    about: "För egna ämnen: meddelandet som får uttaget att självt slå av; {seconds} är tiden.",
  },
  "plugs[].ask": {
    label: "Meddelande som frågar efter läget",
    about: "För egna ämnen: meddelandet som frågar efter uttagets läge.",
  },
  "plugs[].state": { label: "Ämne med dess läge", about: "För egna ämnen: ämnet med uttagets läge." },
  "plugs[].availability": {
    label: "Ämne som visar om det kan nås",
    about: "För egna ämnen: ämnet som visar om uttaget kan nås.",
  },
  "*.topic": { label: "MQTT-ämne", about: "" },
  "*.payload": { label: "Meddelande", about: "" },
  "*.on": { label: "När det är på", about: "Texten, eller ett reguljärt uttryck mellan snedstreck." },
  "*.off": { label: "När det är av", about: "Texten, eller ett reguljärt uttryck mellan snedstreck." },
  "*.online": { label: "När det kan nås", about: "Texten, eller ett reguljärt uttryck mellan snedstreck." },
  "*.offline": { label: "När det inte kan nås", about: "Texten, eller ett reguljärt uttryck mellan snedstreck." },
  language: {
    label: "Språk",
    about: "Språket för namn, orsaker och problem i Home Assistant och i API:et. Den här sidan har ett eget val.",
    options: LANGUAGES,
  },
  levels: {
    label: "Prisnivåer",
    about:
      "Övre gränser för prisnivåerna, som andel av genomsnittet för de senaste tre dagarna. Över dem är priset mycket dyrt.",
  },
  "levels.very_cheap": { label: "Mycket billigt", about: "Mycket billigt: upp till den här andelen av genomsnittet." },
  "levels.cheap": {
    label: "Billigt",
    about: "Billigt: upp till den här andelen; signalen ”billigt” är på upp till hit.",
  },
  "levels.normal": { label: "Normalt", about: "Normalt: upp till den här andelen." },
  "levels.expensive": { label: "Dyrt", about: "Dyrt: upp till den här andelen." },
  "levels.use_forecast": {
    label: "Använd uppskattningar för billigt",
    about: "Om ”billigt” får vara på även enligt ett uppskattat pris, så länge det bekräftade saknas.",
  },
  notify: {
    label: "Aviseringar",
    about: "Skickar aviseringar till telefoner via en ntfy-server: din egen eller https://ntfy.sh.",
  },
  "notify.topic_url": {
    label: "Ämne",
    about:
      "Ämnets adress på ntfy-servern, till exempel https://ntfy.sh/mitt-hus-4821. Alla som känner till namnet kan läsa med, så välj ett som är svårt att gissa.",
  },
  "notify.token": { label: "Åtkomsttoken", about: "En token för servern, om ämnet kräver det." },
  "notify.username": { label: "Användare", about: "En användare på servern, tillsammans med lösenordet." },
  "notify.password": { label: "Lösenord", about: "Användarens lösenord." },
  "notify.events": {
    label: "Skicka",
    about: "Vad som skickas.",
    options: {
      tomorrow: "Morgondagens priser",
      negative_prices: "Negativa priser",
      plan: "En plan kan inte köras",
      plug: "Ett uttag svarar inte",
      problem: "Alla andra problem",
    },
  },
  "notify.quiet_hours": {
    label: "Tysta timmar",
    about: "Tid utan aviseringar, till exempel 22:00-07:00. De som fortfarande är aktuella skickas efteråt.",
  },
  "notify.language": {
    label: "Språk",
    about: "Språket i aviseringarna; annars samma som under inställningen Språk.",
    options: LANGUAGES,
  },
  mdns: {
    label: "Namn i nätverket",
    about: "Namnet som sidan finns under i nätverket: elbro ger http://elbro.local:8080/. Utan namn meddelas inget.",
  },
  log: { label: "Logg", about: "Loggen som elbro skriver till standard ut." },
  "log.level": {
    label: "Lägsta nivå",
    about: "Rader som är mindre viktiga skrivs inte.",
    options: { debug: "Allt (debug)", info: "Normal (info)", warn: "Varningar (warn)", error: "Fel (error)" },
  },
  "log.format": {
    label: "Format",
    about: "JSON för program, text för människor. Standard: text i en terminal, annars JSON.",
    options: { json: "JSON", text: "Text" },
  },
  history: { label: "Historik", about: "Hur mycket historik som hämtas." },
  "history.months": { label: "Månader", about: "Antal månader som hämtas efter den första starten." },
  retention: { label: "Lagring", about: "Hur länge data sparas." },
  "retention.years": { label: "År", about: "Antal år som data sparas." },
};
