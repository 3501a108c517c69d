import { ownJson } from "../text/own-json.ts";

/** Port for small named texts that survive a restart. `write` returns after the text is on disk. */
export interface KeyValue {
  read(name: string): string | null;
  write(name: string, value: string): void;
}

/** Reads a value stored as JSON. Returns null if it was never written or does not fit the schema. */
export function readJson<Value>(
  memory: KeyValue,
  name: string,
  schema: { safeParse(value: unknown): { readonly data?: Value | undefined } },
): Value | null {
  return schema.safeParse(ownJson(memory.read(name) ?? "")).data ?? null;
}
