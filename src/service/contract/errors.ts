/** One row of the service's error table. Source: service interface, part 7.1. */
interface ErrorRow {
  readonly status: number;
  readonly meaning: string;
}

/** Every error the consumer interface names, by its stable machine-readable code. */
export const errorTable = {
  invalid_parameter: { status: 400, meaning: "A request parameter is invalid." },
  invalid_range: { status: 400, meaning: "The requested range is invalid, for example `to` not after `from`." },
  range_too_large: { status: 400, meaning: "The range after normalization exceeds the cap." },
  invalid_token: { status: 401, meaning: "The API key is invalid." },
  credential_expired: { status: 401, meaning: "The API key has expired." },
  plus_required: { status: 403, meaning: "An active Plus subscription is required." },
  forbidden: { status: 403, meaning: "Access is denied." },
  resource_not_found: { status: 404, meaning: "The address is not found." },
  feature_unavailable: { status: 422, meaning: "The data is unavailable for the address (see its capabilities)." },
  rate_limited: { status: 429, meaning: "Minute or day quota exhausted." },
  internal_error: { status: 500, meaning: "Unexpected error; retry later." },
  upstream_unavailable: { status: 502, meaning: "The data provider is temporarily unavailable; retry later." },
  entitlement_unavailable: {
    status: 503,
    meaning: "Subscription verification or request limiting is temporarily unavailable; retry later.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** The body of every error answer. Source: service interface, part 2.4. */
export interface ErrorBody {
  readonly error: true;
  readonly reason: string;
  readonly errorCode: ErrorCode;
}

/** An error before it becomes an answer. `reason` is safe to show: it names what was found and what is expected. */
export interface ContractError {
  readonly kind: "error";
  readonly code: ErrorCode;
  readonly reason: string;
  /** Seconds until another try makes sense; `rate_limited` only, at least 1. */
  readonly retryAfterSec?: number;
}

/** Builds a contract error. */
export function contractError(code: ErrorCode, reason: string): ContractError {
  return { kind: "error", code, reason };
}

/** The wire form of an error. */
export function errorBody(error: ContractError): ErrorBody {
  return { error: true, reason: error.reason, errorCode: error.code };
}

/** Whether a string names a code of the table. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}
