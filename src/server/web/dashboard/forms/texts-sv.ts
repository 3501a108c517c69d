/** Svenska. */
import type { FormTextTable } from "./texts-en.ts";

export const formTexts: FormTextTable = {
  "plans[].name": { label: "Namn", about: "Vad den heter. Ämnena i MQTT görs av det." },
  "plans[].home": { label: "Hem", about: "Hemmet vars priser gäller." },
  "plans[].kind": {
    label: "Typ",
    about: "Hur timmarna väljs.",
    options: {
      window: "En körning",
      slots: "Timmar i delar",
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
    about: "Vad en omgång använder, så att kostnader och besparingar kan visas i pengar.",
  },
  "plans[].from": { label: "Inte före", about: "Inget körs före den här tiden." },
  "plans[].ready_by": { label: "Klar kl.", about: "Allt har körts före den här tiden." },
  "plans[].days": {
    label: "Dagar",
    about: "Dagarna den körs. Dagen för ”inte före” gäller.",
    options: { mon: "Mån", tue: "Tis", wed: "Ons", thu: "Tor", fri: "Fre", sat: "Lör", sun: "Sön" },
  },
  "plans[].max_price": { label: "Högsta pris per kWh", about: "Över det här priset körs inget." },
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
    label: "Timmar utan priser",
    about: "Timmar då den körs när priser saknas, till exempel 02:00-05:00.",
  },
  "plans[].use_forecast": {
    label: "Planera även på uppskattningar",
    about: "Uppskattade priser slår aldrig på något.",
  },
  "plans[].after": { label: "Efter planen", about: "En annan plan som måste vara klar först." },
  "plans[].enabled": { label: "Påslagen", about: "Om den gör något alls." },
  "plugs[].name": { label: "Namn", about: "Vad den heter." },
  "plugs[].family": { label: "Familj", about: "Vad den förstår." },
  "plugs[].topic": { label: "MQTT-ämne", about: "Var den lyssnar, som dess familj skriver det." },
  "plugs[].url": {
    label: "Adress (HTTP)",
    about: "Dess adress när den styrs över HTTP utan MQTT: endast Tasmota och Shelly.",
  },
  "plugs[].channel": { label: "Utgång", about: "Vilken utgång, om enheten har flera." },
  "plugs[].plan": { label: "Plan", about: "Planen den följer, eller flera: på när någon av dem vill det." },
  "plugs[].home": { label: "Hem", about: "Hemmet eller platsen vars signal den följer." },
  "plugs[].override": {
    label: "Manuellt styrd",
    about: "Vad som händer när någon styr den manuellt.",
    options: { respect: "Gäller till nästa planerade ändring", enforce: "Planen vinner" },
  },
  "plugs[].when_lost": {
    label: "Utan kontakt",
    about: "Vad den är medan inget är känt och när elbro har stannat.",
    options: { on: "På", off: "Av", keep: "Som den var" },
  },
  "plugs[].min_on": { label: "Kortaste tid på, minuter" },
  "plugs[].min_off": { label: "Kortaste tid av, minuter" },
};
