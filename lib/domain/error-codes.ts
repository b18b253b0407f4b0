/**
 * Error codes of the API with their descriptions and HTTP statuses. Published codes are stable; new ones may be
 * added.
 */
export const errorCodes = {
  validation_error: "The request is invalid; `detail` lists every invalid field. (422)",
  idempotency_error:
    "The `Idempotency-Key` was used before with another body; a different request needs a new key. (422)",
  unauthenticated: "The request has no valid credential. (401)",
  forbidden: "The caller does not have the permission. (403)",
  not_found: "The resource does not exist, or not in a project of the caller. (404)",
  trace_deleted:
    "The trace was deleted. For 24 hours its id takes no telemetry, late spans, scores or changes; `POST /traces` begins a new trace with it, unless it was erased with its user. (404)",
  method_not_allowed: "The path does not support the method; `Allow` lists the supported ones. (405)",
  conflict: "The request conflicts with the current state, for instance a name that is in use. (409)",
  too_large: "The body is too large, or the resource it adds to has reached its limit. (413)",
  unsupported_media_type: "The content type or encoding of the body is not supported. (415)",
  rate_limited: "Too many requests; `Retry-After` gives the time to wait. (429)",
  bad_request: "The request is not well-formed HTTP. (400 and others)",
  internal_error: "An error in the service. (500)",
  bad_gateway: "The gateway received no answer from the service. (502)",
  unavailable: "The service is busy; `Retry-After` gives the time to wait. (503)",
  timeout: "The service did not answer in time. (504)",
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Returns the path of an error code's description on the documentation page: `/docs#error-<code>`. */
export const errorDocsPath = (code: ErrorCode): string => `/docs#error-${code}`;
