/** What an error is of: what a client can switch on, by code. The codes are published; others may join them. */
export const errorCodes = {
  validation_error: "Something is wrong with the request; `detail` lists every field that is wrong. (422)",
  idempotency_error: "The `Idempotency-Key` has come with another body before; a new request needs a new key. (422)",
  unauthenticated: "There is no valid credential. (401)",
  forbidden: "The caller may not do this. (403)",
  not_found: "It does not exist, or not in a project of the caller's. (404)",
  method_not_allowed: "The path does not have this method; `Allow` names those that it has. (405)",
  conflict: "It does not go with what is there, a name that is taken for instance. (409)",
  too_large: "The body is too large, or what it adds to is full. (413)",
  unsupported_media_type: "The body is not of a type, or not in an encoding, that is taken. (415)",
  rate_limited: "Too many requests; `Retry-After` says when to come back. (429)",
  bad_request: "The request is no well-formed HTTP. (400 and others)",
  internal_error: "A fault of the service. (500)",
  bad_gateway: "The service gave the gateway no answer. (502)",
  unavailable: "The service is busy; `Retry-After` says when to come back. (503)",
  timeout: "The service did not answer in time. (504)",
} as const;

export type ErrorCode = keyof typeof errorCodes;
