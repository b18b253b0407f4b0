/** Entry point of the npm package `assay`: the typed client with its types and errors. */
export { createClient, type CallOptions, type Client, type ClientOptions } from "../../../lib/client/client.ts";
export type { Credentials, KeyCredentials, TokenCredentials } from "../../../lib/client/credentials.ts";
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
} from "../../../lib/client/errors.ts";
export type * from "../../../lib/client/interface.ts";
