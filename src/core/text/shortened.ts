/** Home Assistant rejects a state of more than 255 characters. */
const MAX_STATE_LENGTH = 255;

/** Returns a text that fits into a state of Home Assistant. */
export function shortened(text: string): string {
  return text.length > MAX_STATE_LENGTH ? `${text.slice(0, MAX_STATE_LENGTH - 1)}…` : text;
}
