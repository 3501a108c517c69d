/** Host that no name server knows. A resolver refuses its label of 64 characters itself, so a slow one cannot delay it. */
export const UNKNOWN_HOST = `${"n".repeat(64)}.invalid`;
