/** Port: small texts that outlive a restart, by name. What is written is on disk when `write` returns. */
export interface KeyValue {
  read(name: string): string | null;
  write(name: string, value: string): void;
}

/** Reads a value that was written as JSON. Errors: null if it was never written, or is not JSON. */
export function readJson(memory: KeyValue, name: string): unknown {
  const text = memory.read(name);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null; // written by another version: as if there were nothing
  }
}
