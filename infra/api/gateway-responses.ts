import { exposedHeaders } from "../../lib/contract/cross-origin.ts";
import { errorPlace } from "../../lib/contract/error-place.ts";
import { securityHeaders } from "../../lib/contract/security-headers.ts";
import type { ErrorCode } from "../../lib/domain/error-codes.ts";

/** A reply that API Gateway makes by itself, as its OpenAPI extension writes it. */
export interface GatewayResponse {
  /** The gateway's own status for this type when absent. */
  readonly statusCode?: string;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: { readonly "application/json": string };
}

/** What replies that the gateway makes by itself say of the API. */
export interface FrontDoor {
  /** At which clients reach it. */
  readonly address: string;
  /** Requests a second that each route takes of all clients together. */
  readonly requestsPerSecond: number;
  /** Origins whose pages may call it. */
  readonly origins: readonly string[];
  /** What stands for a text that many replies have, where it is in the template once. */
  readonly shared?: (text: string) => string;
}

/** What the gateway says by itself any page may read: it tells nothing of anybody, and no cookie is ever used. */
const readByPages = { "Access-Control-Allow-Origin": "*", ...exposedHeaders };

/** Headers of every such reply. */
export const gatewayHeaders = ({ requestsPerSecond }: FrontDoor): Readonly<Record<string, string>> => ({
  ...securityHeaders,
  "RateLimit-Policy": `"gateway";q=${requestsPerSecond};w=1`,
});

/** Headers of every error that the gateway answers by itself. */
const errorHeaders = (door: FrontDoor): Readonly<Record<string, string>> => ({
  ...gatewayHeaders(door),
  ...(door.origins.length > 0 && readByPages),
});

/** What a reply's template knows of the address at which the API was reached. */
export const stageAddress = "https://$context.domainName/$context.stage";

/** What an error says that the gateway answers by itself, in a template. */
export const errorBody = (detail: string, code: ErrorCode, address: string): string =>
  JSON.stringify({
    detail,
    code,
    request_id: "$context.requestId",
    documentation_url: `${address}${errorPlace(code)}`,
  });

type Reply = readonly [
  status: number | null,
  code: ErrorCode,
  detail: string,
  headers?: Readonly<Record<string, string>>,
];

const notFound: Reply = [404, "not_found", "Not Found"];
const tooMany: Reply = [
  429,
  "rate_limited",
  "Too many requests. Try again in 1 second.",
  {
    "Retry-After": "1",
    RateLimit: '"gateway";r=0;t=1',
  },
];
/** As a function answers whose database does not: clients and exporters of telemetry repeat it. */
const unavailable: Reply = [503, "unavailable", "The service is busy. Try again in a moment.", { "Retry-After": "1" }];

/**
 * The service's error shape for everything the gateway refuses on its own.
 *
 * The detail of a denial is a fixed text that the authorizer chose. No method uses AWS signatures, so a signature error only
 * happens where there is no method: a bearer token on an unknown path is taken for a broken one.
 */
const replies: Readonly<Record<string, Reply>> = {
  ACCESS_DENIED: [401, "unauthenticated", "$context.authorizer.detail", { "WWW-Authenticate": "Bearer" }],
  UNAUTHORIZED: [401, "unauthenticated", "Not authenticated", { "WWW-Authenticate": "Bearer" }],
  INVALID_API_KEY: [403, "forbidden", "This client is not known to the gateway yet. Try again."],
  MISSING_AUTHENTICATION_TOKEN: notFound,
  INVALID_SIGNATURE: notFound,
  EXPIRED_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  THROTTLED: tooMany,
  QUOTA_EXCEEDED: tooMany,
  REQUEST_TOO_LARGE: [413, "too_large", "The request body is too large."],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    "unsupported_media_type",
    "The body's Content-Encoding has to be gzip or deflate, or none, and the body be in it.",
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

const gatewayResponse = ([status, code, detail, headers = {}]: Reply, door: FrontDoor): GatewayResponse => ({
  ...(status !== null && { statusCode: String(status) }),
  responseParameters: {
    "gatewayresponse.header.Content-Type": quoted("application/json"),
    "gatewayresponse.header.X-Request-ID": "context.requestId",
    ...Object.fromEntries(
      Object.entries({ ...errorHeaders(door), ...headers }).map(([name, value]) => [
        `gatewayresponse.header.${name}`,
        quoted(value),
      ]),
    ),
  },
  responseTemplates: { "application/json": errorBody(detail, code, door.address) },
});

/** The value of `x-amazon-apigateway-gateway-responses`. */
export const gatewayResponses = (door: FrontDoor): Readonly<Record<string, GatewayResponse>> =>
  Object.fromEntries(Object.entries(replies).map(([type, reply]) => [type, gatewayResponse(reply, door)]));
