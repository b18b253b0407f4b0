/** Entry point of the npm package `assay`: the typed client with its types and errors. */
export { createClient, type CallOptions, type Client, type ClientOptions } from "./client.ts";
export type { Credentials, KeyCredentials, TokenCredentials } from "./credentials.ts";
export {
  ApiError,
  AssayError,
  ConflictError,
  ConnectionError,
  type ErrorDetails,
  type FieldProblem,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
} from "./errors.ts";
export type * from "./interface.ts";
