/** Svenska. */
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
    about: "Hur länge den körs; vid ”undvik” hur länge den inte körs. Ett tal, eller 45m, 1h30m.",
  },
  "plans[].kwh": {
    label: "Energi per gång, kWh",
    about: "Vad planen använder per gång, så att kostnader och besparingar kan visas i pengar.",
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
  "plans[].enabled": { label: "Påslagen", about: "Om planen är aktiv." },
  "plugs[].name": { label: "Namn", about: "Uttagets namn." },
  "plugs[].family": { label: "Familj", about: "Uttagets firmware eller protokoll." },
  "plugs[].topic": { label: "MQTT-ämne", about: "Uttagets ämne, skrivet så som dess familj kräver." },
  "plugs[].url": {
    label: "Adress (HTTP)",
    about: "Dess adress när den styrs över HTTP utan MQTT: endast Tasmota och Shelly.",
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
  "plugs[].min_on": { label: "Kortaste tid på, minuter" },
  "plugs[].min_off": { label: "Kortaste tid av, minuter" },
};
