/** Norsk bokmål. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  keys: "Nøkler",
  keys_about: "Hver enhet får sin egen nøkkel, slik at én kan sperres uten de andre.",
  key_name: "Navn på enheten",
  key_name_wrong: "Høyst 40 bokstaver (a–z), sifre, _ . og -, og ikke et navn som allerede finnes.",
  key_control: "kan også endre",
  key_create: "Lag en nøkkel",
  key_made: "Nøkkelen til {name}. Den vises bare denne ene gangen:",
  key_copy: "Kopier",
  key_copied: "Kopiert.",
  key_reads: "leser",
  key_controls: "leser og endrer",
  key_third_party: "tredjeparts-API",
  key_used: "sist brukt {day}",
  key_never_used: "aldri brukt",
  key_fixed: "i konfigurasjonen",
  key_end: "Sperr",
  key_end_sure: "Sperre nøkkelen {name}? Enheten får da ikke lenger tilgang.",
  key_end_yes: "Sperr den",
  cancel: "Avbryt",

  log: "Logg",
  log_level: "Vis",
  log_info: "Alt",
  log_warn: "Advarsler",
  log_none: "Ingenting ennå.",
  log_since: "På engelsk, siden start, det nyeste først.",

  backup: "Sikkerhetskopi",
  backup_about:
    "Prisene og forbruket i hjemmet og kontrollsummene til nøklene. Oppbevar den der ingen andre kan lese den. Konfigurasjonen (elbro.yaml) er ikke med.",
  backup_download: "Last ned en sikkerhetskopi",
  backup_busy: "Kopierer og kontrollerer databasen …",
  restore: "Gjenopprett en sikkerhetskopi",
  restore_sure:
    "Erstatte alt som er lagret, med {name}? Det skjer neste gang elbro starter. Nøklene fra den gangen gjelder da igjen, og det som er der nå, blir tatt vare på i en egen fil.",
  restore_yes: "Erstatt ved neste start",
  restore_waits: "Kopien er hel. Den trer i kraft ved neste start: start elbro på nytt.",
  restore_undo: "Ikke erstatt",
  restore_undone: "Ingenting blir erstattet.",
};
