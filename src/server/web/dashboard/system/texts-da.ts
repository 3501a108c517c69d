/** Dansk. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  keys: "Nøgler",
  keys_about: "Hver enhed får sin egen nøgle, så én kan spærres uden de andre.",
  key_name: "Enhedens navn",
  key_name_wrong: "Højst 40 bogstaver (a–z), cifre, _ . og -, og ikke et navn, der findes.",
  key_control: "må også ændre",
  key_create: "Lav en nøgle",
  key_made: "Nøglen til {name}. Den vises kun denne ene gang:",
  key_copy: "Kopiér",
  key_copied: "Kopieret.",
  key_reads: "læser",
  key_controls: "læser og ændrer",
  key_third_party: "tredjeparts-API",
  key_used: "senest brugt {day}",
  key_never_used: "aldrig brugt",
  key_fixed: "i konfigurationen",
  key_end: "Spær",
  key_end_sure: "Spær nøglen {name}? Enheden får så ikke mere adgang.",
  key_end_yes: "Spær den",
  cancel: "Annuller",

  log: "Log",
  log_level: "Vis",
  log_info: "Alt",
  log_warn: "Advarsler",
  log_none: "Intet endnu.",
  log_since: "På engelsk, siden start, det nyeste først.",

  backup: "Sikkerhedskopi",
  backup_about:
    "Hjemmets priser og forbrug og nøglernes kontroltal. Gem den, hvor ingen andre kan læse den. Konfigurationen (elbro.yaml) er ikke med.",
  backup_download: "Hent en sikkerhedskopi",
  backup_busy: "Kopierer og kontrollerer databasen …",
  restore: "Gendan en sikkerhedskopi",
  restore_sure:
    "Erstat alt gemt med {name}? Det sker, næste gang elbro starter. Datidens nøgler gælder så igen, og det nuværende gemmes i en fil for sig.",
  restore_yes: "Erstat ved næste start",
  restore_waits: "Kopien er hel. Den træder i kraft ved næste start: genstart elbro.",
  restore_undo: "Erstat ikke",
  restore_undone: "Intet bliver erstattet.",
};
