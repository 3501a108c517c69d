/** Norsk bokmål. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  settings: "Innstillinger",
  settings_about:
    "Fra {file}. Hemmeligheter vises ikke. Før hver endring lagres en kopi av filen blant sikkerhetskopiene av konfigurasjonen.",
  settings_fixed: "elbro kan ikke skrive i {file}, så disse innstillingene kan bare endres der.",
  settings_no_file:
    "Disse innstillingene kommer ikke fra en fil som elbro kan skrive i. De kan bare endres der de er satt.",
  settings_waiting: "Endret i filen og brukes når elbro er startet på nytt: {keys}",
  settings_changed: "Konfigurasjonen er endret et annet sted i mellomtiden. Lukk dette, og gjenta endringen.",
  setting_none: "ikke satt opp",
  setting_default: "standard",
  setting_secret: "satt",
  setting_at_once: "En endring virker med en gang.",
  setting_restart: "En endring virker når elbro er startet på nytt.",
  setting_mixed: "En endring virker med en gang. Disse nøklene krever at elbro startes på nytt: {keys}.",
  setting_outside: "Satt av miljøet eller i en annen fil; endre dem der: {keys}",
  setting_saved: "{name}: lagret i {file} og i bruk.",
  setting_saved_waits: "{name}: lagret i {file}. Start elbro på nytt for å bruke det.",
  setting_reset: "Tilbakestill",
  setting_reset_sure:
    "Fjerne {name} fra konfigurasjonsfilen? Da gjelder standardverdiene. Filen sikkerhetskopieres først.",
  notify_test: "Send en test",
  notify_sent: "ntfy-serveren har tatt imot testen. Den bør være på telefonen din nå.",

  keys: "Nøkler",
  keys_about: "Hver enhet har sin egen nøkkel, så du kan sperre én uten å påvirke de andre.",
  key_name: "Navn på enheten",
  key_name_wrong: "Bruk høyst 40 bokstaver, sifre, mellomrom, _ . og - og et navn som ikke er i bruk.",
  key_control: "kan også endre",
  key_create: "Opprett en nøkkel",
  key_made: "Nøkkelen til {name}. Den vises bare denne ene gangen:",
  key_copy: "Kopier",
  key_copied: "Kopiert.",
  key_reads: "bare lese",
  key_controls: "lese og endre",
  key_third_party: "tredjeparts-API",
  key_used: "sist brukt {day}",
  key_never_used: "aldri brukt",
  key_fixed: "i konfigurasjonen",
  key_phone: "Skann koden med en telefon, eller åpne lenken på den: da er den logget inn.",
  key_qr: "QR-kode med lenken",
  key_address: "Maskinens adresse på nettverket",
  key_link: "Lenke",
  key_no_network:
    "Ingen annen enhet kan nå siden på en adresse som elbro kjenner, så det finnes ingen lenke. Logg inn med nøkkelen.",
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
