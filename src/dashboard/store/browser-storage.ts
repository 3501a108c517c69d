/** Small texts in the browser's storage. Without storage, none is kept. */

type Storage = "localStorage" | "sessionStorage";

/** Returns a kept text; null without it. */
export function kept(name: string, storage: Storage = "localStorage"): string | null {
  try {
    return globalThis[storage].getItem(`elbro-${name}`);
  } catch {
    return null;
  }
}

/** Keeps a text; null removes it. */
export function keep(name: string, text: string | null, storage: Storage = "localStorage"): void {
  try {
    if (text === null) globalThis[storage].removeItem(`elbro-${name}`);
    else globalThis[storage].setItem(`elbro-${name}`, text);
  } catch {
    // It is valid until the page is closed.
  }
}
