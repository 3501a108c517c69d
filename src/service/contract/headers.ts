/** Row of the service's header table. */
interface HeaderRow {
  readonly meaning: string;
  /** `evaluated`: on all responses after the quota check, also errors. `limited`: on a 429 only. */
  readonly sent: "always" | "evaluated" | "limited";
  readonly schema: Readonly<Record<string, unknown>>;
}

const limit = { type: "integer", minimum: 1 } as const;
const remaining = { type: "integer", minimum: 0 } as const;
const seconds = { type: "integer", format: "int64" } as const;
const uuid = { type: "string", format: "uuid" } as const;

/** Response headers of the consumer interface. Source: service interface, part 8.2. */
export const headerTable = {
  "X-RateLimit-Limit-Minute": { meaning: "Configured minute limit.", sent: "evaluated", schema: limit },
  "X-RateLimit-Remaining-Minute": { meaning: "Remaining minute attempts.", sent: "evaluated", schema: remaining },
  "X-RateLimit-Reset-Minute": {
    meaning: "Reset of the minute window, Unix seconds.",
    sent: "evaluated",
    schema: seconds,
  },
  "X-RateLimit-Limit-Day": { meaning: "Configured day limit.", sent: "evaluated", schema: limit },
  "X-RateLimit-Remaining-Day": { meaning: "Remaining day attempts.", sent: "evaluated", schema: remaining },
  "X-RateLimit-Reset-Day": { meaning: "Reset of the day window, Unix seconds.", sent: "evaluated", schema: seconds },
  "Retry-After": {
    meaning: "On 429 only: seconds until the latest reset among the exhausted windows.",
    sent: "limited",
    schema: limit,
  },
  "X-Request-ID": { meaning: "Identifier of the response, for support.", sent: "always", schema: uuid },
  "Cache-Control": {
    meaning: "Always `private, no-store`.",
    sent: "always",
    schema: { type: "string", const: "private, no-store" },
  },
} as const satisfies Record<string, HeaderRow>;

export type HeaderName = keyof typeof headerTable;
