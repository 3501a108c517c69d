/** Svenska. */
import type { SystemTexts } from "./texts-en.ts";

export const texts: SystemTexts = {
  settings: "Inställningar",
  settings_about:
    "Från {file}. Hemligheter visas inte. Före varje ändring sparas en kopia av filen bland konfigurationens säkerhetskopior.",
  settings_fixed: "elbro kan inte skriva i {file}, så de här inställningarna kan bara ändras där.",
  settings_no_file:
    "De här inställningarna kommer inte från en fil som elbro kan skriva i. De kan bara ändras där de är satta.",
  settings_waiting: "Ändrat i filen och används när elbro har startats om: {keys}",
  settings_changed: "Konfigurationen har ändrats på ett annat ställe under tiden. Stäng det här och gör om ändringen.",
  setting_none: "inte inställt",
  setting_default: "standard",
  setting_secret: "angivet",
  setting_at_once: "En ändring gäller genast.",
  setting_restart: "En ändring gäller när elbro har startats om.",
  setting_mixed: "En ändring gäller genast. De här nycklarna kräver att elbro startas om: {keys}.",
  setting_outside: "Satta av miljön eller i en annan fil; ändra dem där: {keys}",
  setting_saved: "{name}: sparat i {file} och används.",
  setting_saved_waits: "{name}: sparat i {file}. Starta om elbro för att använda det.",
  setting_reset: "Återställ",
  setting_reset_sure:
    "Ta bort {name} ur konfigurationsfilen? Då gäller standardvärdena. Filen säkerhetskopieras först.",
  notify_test: "Skicka ett test",
  notify_sent: "ntfy-servern har tagit emot testet. Det bör finnas i din telefon nu.",

  keys: "Nycklar",
  keys_about: "Varje enhet har en egen nyckel, så att du kan spärra en utan att påverka de andra.",
  key_name: "Enhetens namn",
  key_name_wrong: "Använd högst 40 bokstäver, siffror, mellanslag, _ . och - och ett namn som inte används.",
  key_control: "får även ändra",
  key_create: "Skapa en nyckel",
  key_made: "Nyckeln till {name}. Den visas bara den här gången:",
  key_copy: "Kopiera",
  key_copied: "Kopierad.",
  key_reads: "bara läsa",
  key_controls: "läsa och ändra",
  key_third_party: "tredjeparts-API",
  key_used: "senast använd {day}",
  key_never_used: "aldrig använd",
  key_fixed: "i konfigurationen",
  key_phone: "Skanna koden med en telefon, eller öppna länken på den: då är den inloggad.",
  key_qr: "QR-kod med länken",
  key_address: "Datorns adress i nätverket",
  key_link: "Länk",
  key_no_network:
    "Ingen annan enhet kan nå sidan på en adress som elbro känner till, så det finns ingen länk. Logga in med nyckeln.",
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
