/** Anything that a call ends with in place of an answer, but an abort by the caller. */
export class AssayError extends Error {
  override readonly name: string = "AssayError";
}

/** There was no answer: the service could not be reached, or the connection broke. `cause` says how. */
export class ConnectionError extends AssayError {
  override readonly name = "ConnectionError";
}

/** There was no answer in time. */
export class TimeoutError extends AssayError {
  override readonly name = "TimeoutError";
}

/** One thing that is wrong with a request: where (`filters.status`), and what. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** What a refusal says. */
export interface Refused {
  /** The HTTP status. */
  readonly status: number;
  /** A stable word for what was wrong; null where the reply has none. */
  readonly code: string | null;
  /** The request's id, as it stands in the service's log. */
  readonly requestId: string | null;
  /** Every field that is wrong, where the request was malformed. */
  readonly problems: readonly FieldProblem[];
  /** Milliseconds to wait before the next try, where the reply says so. */
  readonly retryAfter: number | null;
}

/** The service has answered, and refused. The message is the reply's `detail`. */
export class ApiError extends AssayError implements Refused {
  override readonly name: string = "ApiError";
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly problems: readonly FieldProblem[];
  readonly retryAfter: number | null;

  constructor(message: string, { status, code, requestId, problems, retryAfter }: Refused) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }
}

/** 400, 413, 415 and 422: the request is not one that can be taken. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError";
}

/** 401: there is no valid credential. */
export class UnauthorizedError extends ApiError {
  override readonly name = "UnauthorizedError";
}

/** 403: the credential is valid and may not do this. */
export class ForbiddenError extends ApiError {
  override readonly name = "ForbiddenError";
}

/** 404. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError";
}

/** 409: what is there is in a state that the request does not fit. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError";
}

/** 429: too many requests; `retryAfter` says when the next may come. */
export class RateLimitedError extends ApiError {
  override readonly name = "RateLimitedError";
}

/** 5xx. */
export class ServerError extends ApiError {
  override readonly name = "ServerError";
}

const classes: Readonly<Record<number, new (message: string, refused: Refused) => ApiError>> = {
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

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Milliseconds, from seconds or an HTTP date. */
const waitOf = (header: string | null): number | null => {
  if (header === null) return null;
  const seconds = Number(header);
  const milliseconds = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : null;
};

/** The error that a reply means. @param body the parsed body; null when it is no JSON. */
export const errorOf = ({ status, headers }: Response, body: ErrorBody | null): ApiError => {
  const problems = Array.isArray(body?.errors) ? body.errors.filter(isProblem) : [];
  const told = problems.map(({ field, message }) => `${field}: ${message}`).join("; ");
  const message = text(body?.detail) ?? text(told) ?? text(body?.message) ?? `The service answered ${status}.`;
  const code = body?.code;
  const refused = {
    status,
    code: typeof code === "string" ? code : null,
    // A page of another origin does not see every header.
    requestId: headers.get("x-request-id") ?? text(body?.request_id),
    problems,
    retryAfter: waitOf(headers.get("retry-after")),
  };
  const Class = status >= 500 ? ServerError : (classes[status] ?? ApiError);
  return new Class(message, refused);
};
