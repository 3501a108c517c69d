/** Svenska. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  keys: "Nycklar",
  keys_about: "Varje enhet får en egen nyckel, så att en kan spärras utan de andra.",
  key_name: "Enhetens namn",
  key_name_wrong: "Högst 40 bokstäver (a–z), siffror, _ . och -, och inte ett namn som redan finns.",
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
  key_end_sure: "Spärra nyckeln {name}? Enheten får då ingen åtkomst längre.",
  key_end_yes: "Spärra den",
  cancel: "Avbryt",

  log: "Logg",
  log_level: "Visa",
  log_info: "Allt",
  log_warn: "Varningar",
  log_none: "Inget än.",
  log_since: "På engelska, sedan starten, det nyaste först.",

  backup: "Säkerhetskopia",
  backup_about:
    "Hemmets priser och förbrukning och nycklarnas kontrollsummor. Spara den där ingen annan kan läsa den. Konfigurationen (elbro.yaml) ingår inte.",
  backup_download: "Ladda ner en säkerhetskopia",
  backup_busy: "Kopierar och kontrollerar databasen …",
  restore: "Återställ en säkerhetskopia",
  restore_sure:
    "Ersätta allt som är sparat med {name}? Det sker nästa gång elbro startar. Dåtidens nycklar gäller då igen, och det som finns nu sparas i en egen fil.",
  restore_yes: "Ersätt vid nästa start",
  restore_waits: "Kopian är hel. Den börjar gälla vid nästa start: starta om elbro.",
  restore_undo: "Ersätt inte",
  restore_undone: "Inget kommer att ersättas.",
};
