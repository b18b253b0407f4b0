import { exposedHeaders } from "../../lib/contract/cross-origin.ts";
import { errorDocsPath, type ErrorCode } from "../../lib/domain/error-codes.ts";
import { securityHeaders } from "../../lib/contract/route.ts";

/** A reply of API Gateway itself, without a function, in the form of its OpenAPI extension. */
export interface GatewayResponse {
  /** HTTP status; the gateway's default for the response type when absent. */
  readonly statusCode?: string;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: { readonly "application/json": string };
}

/** Values that replies of the gateway itself contain. */
export interface GatewayReplyOptions {
  /** Base URL at which clients reach the API. */
  readonly address: string;
  /** Requests a second that each route accepts from all clients together. */
  readonly requestsPerSecond: number;
  /** Origins whose pages may call the API (CORS). */
  readonly origins: readonly string[];
  /** Returns a template reference that replaces a text common to many replies. */
  readonly shareText?: (text: string) => string;
}

/** CORS headers of the gateway's own errors. Any origin may read these replies: they contain no data, and the API uses no cookies. */
const crossOriginHeaders = { "Access-Control-Allow-Origin": "*", ...exposedHeaders };

/** Returns the headers of every reply of the gateway itself. */
export const gatewayHeaders = ({ requestsPerSecond }: GatewayReplyOptions): Readonly<Record<string, string>> => ({
  ...securityHeaders,
  "RateLimit-Policy": `"gateway";q=${requestsPerSecond};w=1`,
});

/** Returns the headers of every error reply of the gateway itself. */
const errorHeaders = (options: GatewayReplyOptions): Readonly<Record<string, string>> => ({
  ...gatewayHeaders(options),
  ...(options.origins.length > 0 && crossOriginHeaders),
});

/** Mapping template expression for the base URL of the stage. */
export const stageAddress = "https://$context.domainName/$context.stage";

/** Returns the JSON body of an error reply of the gateway itself, as a mapping template. */
export const errorBody = (detail: string, code: ErrorCode, address: string): string =>
  JSON.stringify({
    detail,
    code,
    request_id: "$context.requestId",
    documentation_url: `${address}${errorDocsPath(code)}`,
  });

type Reply = readonly [
  status: number | null,
  code: ErrorCode,
  detail: string,
  headers?: Readonly<Record<string, string>>,
];

/** Without the header the gateway names the error of a missing AWS signature, which misleads. */
const notFound: Reply = [404, "not_found", "Not Found", { "x-amzn-ErrorType": "NotFoundException" }];
const tooManyRequests: Reply = [
  429,
  "rate_limited",
  "Too many requests. Try again in 1 second.",
  {
    "Retry-After": "1",
    RateLimit: '"gateway";r=0;t=1',
  },
];
/** The 503 that functions send when the database is unavailable; clients and telemetry exporters retry it. */
const unavailable: Reply = [503, "unavailable", "The service is busy. Try again in a moment.", { "Retry-After": "1" }];

/**
 * Error replies of the gateway by response type, in the service's error format.
 *
 * The detail of a denial is a fixed text from the authorizer. No method uses AWS signatures, so a signature error means an
 * unknown path, where the gateway takes a bearer token for a malformed signature.
 */
const replies: Readonly<Record<string, Reply>> = {
  ACCESS_DENIED: [401, "unauthenticated", "$context.authorizer.detail", { "WWW-Authenticate": "Bearer" }],
  UNAUTHORIZED: [401, "unauthenticated", "Not authenticated", { "WWW-Authenticate": "Bearer" }],
  INVALID_API_KEY: [403, "forbidden", "This client is not known to the gateway yet. Try again."],
  MISSING_AUTHENTICATION_TOKEN: notFound,
  INVALID_SIGNATURE: notFound,
  EXPIRED_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  THROTTLED: tooManyRequests,
  QUOTA_EXCEEDED: tooManyRequests,
  REQUEST_TOO_LARGE: [
    413,
    "too_large",
    "The request body is too large: at most 4 MiB. For OpenTelemetry lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE, e.g. to 100.",
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    "unsupported_media_type",
    "The Content-Encoding must be gzip, deflate or absent, and the body must be encoded accordingly.",
  ],
  BAD_REQUEST_BODY: [400, "bad_request", "Bad Request"],
  BAD_REQUEST_PARAMETERS: [400, "bad_request", "Bad Request"],
  WAF_FILTERED: [403, "forbidden", "Forbidden"],
  AUTHORIZER_FAILURE: unavailable,
  AUTHORIZER_CONFIGURATION_ERROR: unavailable,
  API_CONFIGURATION_ERROR: [500, "internal_error", "Internal Server Error"],
  INTEGRATION_FAILURE: [502, "bad_gateway", "Bad Gateway"],
  INTEGRATION_TIMEOUT: [504, "timeout", "The service did not answer in time."],
  DEFAULT_4XX: [null, "bad_request", "The request was refused."],
  DEFAULT_5XX: [null, "internal_error", "Internal Server Error"],
};

const quoted = (value: string): string => `'${value}'`;

const gatewayResponse = (
  [status, code, detail, headers = {}]: Reply,
  options: GatewayReplyOptions,
): GatewayResponse => ({
  ...(status !== null && { statusCode: String(status) }),
  responseParameters: {
    "gatewayresponse.header.Content-Type": quoted("application/json"),
    "gatewayresponse.header.X-Request-ID": "context.requestId",
    ...Object.fromEntries(
      Object.entries({ ...errorHeaders(options), ...headers }).map(([name, value]) => [
        `gatewayresponse.header.${name}`,
        quoted(value),
      ]),
    ),
  },
  responseTemplates: { "application/json": errorBody(detail, code, options.address) },
});

/** The value of `x-amazon-apigateway-gateway-responses`. */
export const gatewayResponses = (options: GatewayReplyOptions): Readonly<Record<string, GatewayResponse>> =>
  Object.fromEntries(Object.entries(replies).map(([type, reply]) => [type, gatewayResponse(reply, options)]));
