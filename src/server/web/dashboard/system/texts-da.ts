/** Dansk. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  keys: "Nøgler",
  keys_about: "Hver enhed har sin egen nøgle, så du kan spærre én uden at påvirke de andre.",
  key_name: "Enhedens navn",
  key_name_wrong: "Brug højst 40 bogstaver (a–z), cifre, _ . og - og et navn, der ikke er i brug.",
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
  key_end_sure: "Spær nøglen {name}? Enheden mister sin adgang.",
  key_end_yes: "Spær den",
  cancel: "Annuller",

  log: "Log",
  log_level: "Vis",
  log_info: "Alt",
  log_warn: "Advarsler",
  log_none: "Intet endnu.",
  log_since: "På engelsk, siden start, nyeste først.",

  backup: "Sikkerhedskopi",
  backup_about:
    "Den indeholder hjemmets priser og forbrug og nøglernes hashværdier. Opbevar den privat. Konfigurationen (elbro.yaml) er ikke med.",
  backup_download: "Hent en sikkerhedskopi",
  backup_busy: "Kopierer og kontrollerer databasen …",
  restore: "Gendan en sikkerhedskopi",
  restore_sure:
    "Erstat alle gemte data med {name}? Det sker, næste gang elbro starter. Nøglerne i kopien bliver gyldige igen. De nuværende data gemmes i en separat fil.",
  restore_yes: "Erstat ved næste start",
  restore_waits: "Kopien er gyldig. Genstart elbro for at bruge den.",
  restore_undo: "Annuller gendannelsen",
  restore_undone: "Gendannelsen er annulleret.",
};
