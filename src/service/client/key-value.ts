/** Remembers a small text across restarts, by name. What is written is on disk when `write` returns. */
export interface Memory {
  read(name: string): string | null;
  write(name: string, value: string): void;
}

/** Reads back what was kept as JSON. Errors: null for nothing, and for what is not JSON. */
export function recall(memory: Memory, name: string): unknown {
  const text = memory.read(name);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null; // written by another version: as if there were nothing
  }
}
