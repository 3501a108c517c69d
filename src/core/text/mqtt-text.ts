/** Rules of MQTT for texts in packets (MQTT 5, 1.5.4 and 4.7). Brokers disconnect a client that breaks them. */

/** Bytes of a configured topic. Topics made from it are longer, and MQTT allows 65,535. */
const MAX_TOPIC_BYTES = 1_024;
/** Mosquitto disconnects a client at more than 200 levels. Topics made from a configured one have a few more. */
const MAX_TOPIC_LEVELS = 100;

/** Returns true if a text has no control characters, non-characters or halves of characters. */
export function isMqttText(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Noncharacter_Code_Point}]/u.test(text);
}

/** Returns true if a text can be the base of topics. */
export function isMqttTopic(text: string): boolean {
  const isShort = new TextEncoder().encode(text).length <= MAX_TOPIC_BYTES;
  return isMqttText(text) && isShort && text.split("/").length <= MAX_TOPIC_LEVELS && !/[+#]/.test(text);
}
