/** Norsk bokmål. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  keys: "Nøkler",
  keys_about: "Hver enhet har sin egen nøkkel, så du kan sperre én uten å påvirke de andre.",
  key_name: "Navn på enheten",
  key_name_wrong: "Bruk høyst 40 bokstaver (a–z), sifre, _ . og - og et navn som ikke er i bruk.",
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
  key_end_sure: "Sperre nøkkelen {name}? Enheten mister tilgangen.",
  key_end_yes: "Sperr den",
  cancel: "Avbryt",

  log: "Logg",
  log_level: "Vis",
  log_info: "Alt",
  log_warn: "Advarsler",
  log_none: "Ingenting ennå.",
  log_since: "På engelsk, siden start, nyeste først.",

  backup: "Sikkerhetskopi",
  backup_about:
    "Den inneholder prisene og forbruket i hjemmet og hashverdiene til nøklene. Oppbevar den privat. Konfigurasjonen (elbro.yaml) er ikke med.",
  backup_download: "Last ned en sikkerhetskopi",
  backup_busy: "Kopierer og kontrollerer databasen …",
  restore: "Gjenopprett en sikkerhetskopi",
  restore_sure:
    "Erstatte alle lagrede data med {name}? Det skjer neste gang elbro starter. Nøklene i kopien blir gyldige igjen. Nåværende data lagres i en egen fil.",
  restore_yes: "Erstatt ved neste start",
  restore_waits: "Sikkerhetskopien er gyldig. Start elbro på nytt for å bruke den.",
  restore_undo: "Avbryt gjenopprettingen",
  restore_undone: "Gjenopprettingen er avbrutt.",
};
