/** Of the launcher; the sources run without one. */
declare const keepCompiled: (() => void) | undefined;

/**
 * Keeps the code that is compiled by now for the next start: Node itself would keep some of it, and when it ends; a
 * daemon often ends by the plug, after which the next start would compile it all again.
 */
export function keepCode(): void {
  if (typeof keepCompiled === "function") keepCompiled();
}
