/** Port: small texts that outlive a restart, by name. What is written is on disk when `write` returns. */
export interface KeyValue {
  read(name: string): string | null;
  write(name: string, value: string): void;
}

/** Reads a value that was written as JSON. Errors: null if it was never written, or does not fit the schema. */
export function readJson<Value>(
  memory: KeyValue,
  name: string,
  schema: { safeParse(value: unknown): { readonly data?: Value | undefined } },
): Value | null {
  const text = memory.read(name);
  if (text === null) return null;
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // written by another version: as if there were nothing
  }
}
