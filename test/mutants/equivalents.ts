/** A mutant that changes nothing that a test could see, by its line and its change as the program prints them. */
interface Equivalent {
  readonly file: string;
  readonly line: string;
  readonly change: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [];
