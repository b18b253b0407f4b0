/** Base class of all errors of a call, except an abort by the caller's signal. */
export class AssayError extends Error {
  override readonly name: string = "AssayError";
}

/** Error of a call without an answer: the service could not be reached or the connection broke. `cause` has the network error. */
export class ConnectionError extends AssayError {
  override readonly name = "ConnectionError";
}

/** Error of a call that was not answered within its timeout. */
export class TimeoutError extends AssayError {
  override readonly name = "TimeoutError";
}

/** A violation in a request: path of the field, such as `filters.status`, and message. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Details of an error reply. */
export interface ErrorDetails {
  /** The HTTP status. */
  readonly status: number;
  /** Stable error code, such as `not_found`; null if the reply has none. */
  readonly code: string | null;
  /** Id of the request in the service's log; null if the reply has none. */
  readonly requestId: string | null;
  /** Violations of an invalid request; empty for other errors. */
  readonly problems: readonly FieldProblem[];
  /** Milliseconds to wait before the next attempt, from `Retry-After`; null without the header. */
  readonly retryAfter: number | null;
}

/**
 * Error reply of the service. The message is the reply's `detail`.
 *
 * @example
 * try {
 *   await client.getTrace({ path: { trace_id } });
 * } catch (error) {
 *   if (!(error instanceof ApiError) || error.code !== "not_found") throw error;
 * }
 */
export class ApiError extends AssayError implements ErrorDetails {
  override readonly name: string = "ApiError";
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly problems: readonly FieldProblem[];
  readonly retryAfter: number | null;

  constructor(message: string, { status, code, requestId, problems, retryAfter }: ErrorDetails) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }
}

/** Error reply with status 400, 413, 415 or 422: the request is invalid. `problems` lists the violations. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError";
}

/** Error reply with status 401: the credentials are missing or invalid. */
export class UnauthorizedError extends ApiError {
  override readonly name = "UnauthorizedError";
}

/** Error reply with status 403: the credentials do not permit the operation. */
export class ForbiddenError extends ApiError {
  override readonly name = "ForbiddenError";
}

/** Error reply with status 404: the resource does not exist. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError";
}

/** Error reply with status 409: the state of the resource does not permit the operation. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError";
}

/** Error reply with status 429: too many requests. `retryAfter` is the time until the next attempt. */
export class RateLimitedError extends ApiError {
  override readonly name = "RateLimitedError";
}

/** Error reply with status 5xx: fault or outage of the service. */
export class ServerError extends ApiError {
  override readonly name = "ServerError";
}

const classes: Readonly<Record<number, new (message: string, details: ErrorDetails) => ApiError>> = {
  400: InvalidRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitedError,
};

interface ErrorBody {
  readonly detail?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly errors?: unknown;
  readonly request_id?: unknown;
}

const isProblem = (value: unknown): value is FieldProblem =>
  typeof value === "object" &&
  value !== null &&
  "field" in value &&
  typeof value.field === "string" &&
  "message" in value &&
  typeof value.message === "string";

const nonEmptyText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Parses a `Retry-After` header, in seconds or as an HTTP date. @returns milliseconds; null if absent or malformed. */
const retryAfterOf = (header: string | null): number | null => {
  if (header === null) return null;
  const seconds = Number(header);
  const milliseconds = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : null;
};

/** Returns the error for an error reply. @param body parsed JSON object of the reply; null if the body is none. */
export const errorOf = ({ status, headers }: Response, body: ErrorBody | null): ApiError => {
  const problems = Array.isArray(body?.errors) ? body.errors.filter(isProblem) : [];
  const problemsText = problems.map(({ field, message }) => `${field || "body"}: ${message}`).join("; ");
  const message =
    nonEmptyText(body?.detail) ??
    nonEmptyText(problemsText) ??
    nonEmptyText(body?.message) ??
    `The service answered ${status}.`;
  const code = body?.code;
  const details = {
    status,
    code: typeof code === "string" ? code : null,
    // Pages of another origin cannot read every header, so the body has the id too.
    requestId: headers.get("x-request-id") ?? nonEmptyText(body?.request_id),
    problems,
    retryAfter: retryAfterOf(headers.get("retry-after")),
  };
  const Class = status >= 500 ? ServerError : (classes[status] ?? ApiError);
  return new Class(message, details);
};
