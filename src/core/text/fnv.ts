/** Returns an FNV-1a hash over UTF-16 code units, 32 bits, signed. Another seed and prime give an independent one. */
export function fnv1a(text: string, seed = 0x811c9dc5, prime = 0x01000193): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), prime);
  return value;
}
