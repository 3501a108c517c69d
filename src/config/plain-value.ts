/** Values of the environment that need no YAML to be read: its first use costs a start 2 ms. */

/** What YAML makes of a value that is plain beyond doubt; undefined where YAML has to say. */
export function plainValue(text: string): unknown {
  if (/^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  // JSON is YAML. What is no JSON may be YAML all the same.
  if (/^[[{]/.test(text)) return jsonValue(text);
  return undefined;
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
