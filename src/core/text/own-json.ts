/** Parses JSON that elbro itself wrote; undefined if the text is damaged. Foreign text is read by foreign-text.ts. */
export function ownJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
