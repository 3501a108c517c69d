import type { KeyValue } from "../../../src/core/runtime/key-value.ts";

/** Key-value store in memory that counts its writes. */
export class TestMemory implements KeyValue {
  readonly texts: Map<string, string>;
  writes = 0;

  constructor(texts = new Map<string, string>()) {
    this.texts = texts;
  }

  read(name: string): string | null {
    return this.texts.get(name) ?? null;
  }

  write(name: string, text: string): void {
    this.texts.set(name, text);
    this.writes++;
  }
}
