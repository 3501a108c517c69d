/** Words of caught errors. */

/** Returns the code of a system error, such as `ENOENT`; empty if the error has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Returns the message of an error. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
