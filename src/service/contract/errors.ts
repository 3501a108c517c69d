/** Errors of the consumer interface by their stable code. Source: service interface, part 7.1. */
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
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ErrorCode = keyof typeof errorTable;

/** Body of every error response. Source: service interface, part 2.4. */
export type ErrorBody = { readonly error: true; readonly reason: string; readonly errorCode: ErrorCode };

/** Error before it is sent. `reason` is safe to show; it states the value found and the value expected. */
export interface ContractError {
  readonly kind: "error";
  readonly code: ErrorCode;
  readonly reason: string;
  /** Seconds until the next attempt is useful, at least 1; `rate_limited` only. */
  readonly retryAfterSec?: number;
}

export function contractError(code: ErrorCode, reason: string): ContractError {
  return { kind: "error", code, reason };
}

/** Converts an error to its JSON body. */
export function serviceErrorBody(error: ContractError): ErrorBody {
  return { error: true, reason: error.reason, errorCode: error.code };
}

/** Returns true if the text is a code of the table. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}
