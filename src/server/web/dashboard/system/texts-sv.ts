/** Svenska. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  keys: "Nycklar",
  keys_about: "Varje enhet har en egen nyckel, så att du kan spärra en utan att påverka de andra.",
  key_name: "Enhetens namn",
  key_name_wrong: "Använd högst 40 bokstäver (a–z), siffror, _ . och - och ett namn som inte används.",
  key_control: "får även ändra",
  key_create: "Skapa en nyckel",
  key_made: "Nyckeln till {name}. Den visas bara den här gången:",
  key_copy: "Kopiera",
  key_copied: "Kopierad.",
  key_reads: "läser",
  key_controls: "läser och ändrar",
  key_third_party: "tredjeparts-API",
  key_used: "senast använd {day}",
  key_never_used: "aldrig använd",
  key_fixed: "i konfigurationen",
  key_end: "Spärra",
  key_end_sure: "Spärra nyckeln {name}? Enheten förlorar sin åtkomst.",
  key_end_yes: "Spärra den",
  cancel: "Avbryt",

  log: "Logg",
  log_level: "Visa",
  log_info: "Allt",
  log_warn: "Varningar",
  log_none: "Inget än.",
  log_since: "På engelska, sedan starten, nyaste först.",

  backup: "Säkerhetskopia",
  backup_about:
    "Den innehåller hemmets priser och förbrukning och nycklarnas hashvärden. Håll den privat. Konfigurationen (elbro.yaml) ingår inte.",
  backup_download: "Ladda ner en säkerhetskopia",
  backup_busy: "Kopierar och kontrollerar databasen …",
  restore: "Återställ en säkerhetskopia",
  restore_sure:
    "Ersätta alla sparade data med {name}? Det sker nästa gång elbro startar. Nycklarna i kopian blir giltiga igen. Nuvarande data sparas i en separat fil.",
  restore_yes: "Ersätt vid nästa start",
  restore_waits: "Säkerhetskopian är giltig. Starta om elbro för att använda den.",
  restore_undo: "Avbryt återställningen",
  restore_undone: "Återställningen är avbruten.",
};
