/** Dansk. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  settings: "Indstillinger",
  settings_about:
    "Fra {file}. Hemmeligheder vises ikke. Før hver ændring gemmes en kopi af filen i konfigurationens sikkerhedskopier.",
  settings_fixed: "elbro kan ikke skrive i {file}, så disse indstillinger kan kun ændres dér.",
  settings_no_file:
    "Disse indstillinger kommer ikke fra en fil, som elbro kan skrive i. De kan kun ændres dér, hvor de er sat.",
  settings_waiting: "Ændret i filen og bruges, når elbro er genstartet: {keys}",
  settings_changed: "Konfigurationen er i mellemtiden ændret et andet sted. Luk dette, og gentag ændringen.",
  setting_none: "ikke sat op",
  setting_default: "standard",
  setting_secret: "sat",
  setting_at_once: "En ændring virker med det samme.",
  setting_restart: "En ændring virker, når elbro er genstartet.",
  setting_mixed: "En ændring virker med det samme. Disse nøgler kræver en genstart af elbro: {keys}.",
  setting_outside: "Sat af miljøet eller i en anden fil; ret dem dér: {keys}",
  setting_saved: "{name}: gemt i {file} og i brug.",
  setting_saved_waits: "{name}: gemt i {file}. Genstart elbro for at bruge det.",
  setting_reset: "Nulstil",
  setting_reset_sure:
    "Fjern {name} fra konfigurationsfilen? Så gælder standardværdierne. Filen sikkerhedskopieres først.",
  notify_test: "Send en test",
  notify_sent: "ntfy-serveren har taget imod testen. Den bør være på din telefon nu.",

  keys: "Nøgler",
  keys_about: "Hver enhed har sin egen nøgle, så du kan spærre én uden at påvirke de andre.",
  key_name: "Enhedens navn",
  key_name_wrong: "Brug højst 40 bogstaver, cifre, mellemrum, _ . og - og et navn, der ikke er i brug.",
  key_control: "må også ændre",
  key_create: "Opret en nøgle",
  key_made: "Nøglen til {name}. Den vises kun denne ene gang:",
  key_copy: "Kopiér",
  key_copied: "Kopieret.",
  key_reads: "kun læse",
  key_controls: "læse og ændre",
  key_third_party: "tredjeparts-API",
  key_used: "senest brugt {day}",
  key_never_used: "aldrig brugt",
  key_fixed: "i konfigurationen",
  key_phone: "Scan koden med en telefon, eller åbn linket på den: så er den logget ind.",
  key_qr: "QR-kode med linket",
  key_address: "Maskinens adresse på netværket",
  key_link: "Link",
  key_no_network:
    "Ingen anden enhed kan nå siden på en adresse, som elbro kender, så der er intet link. Log ind med nøglen.",
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
