/** Origins of the CORS setting: `https://app.example.com`, or a loopback host with any port, `http://localhost:*`. */
const originForm =
  /^(?:https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|http:\/\/(?:localhost|127\.0\.0\.1))(?::(?:\d{1,5}|\*))?$/u;
const loopbackPattern = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::|$)/u;

/** True if a text is a valid origin for the CORS setting; the port `*` is valid for loopback hosts only. */
export const isValidOrigin = (origin: string): boolean =>
  originForm.test(origin) && (!origin.endsWith(":*") || loopbackPattern.test(origin));

/** Origins of loopback hosts on any port, for local development. */
export const loopbackOrigins: readonly string[] = ["http", "https"].flatMap((scheme) =>
  ["localhost", "127.0.0.1"].map((host) => `${scheme}://${host}:*`),
);

/**
 * Returns the source of a regular expression that matches the given origins, without anchors. The source has no
 * backslash, because API Gateway's mapping templates would interpret it as an escape character.
 */
export const originPattern = (origins: readonly string[]): string =>
  origins.map((origin) => origin.replaceAll(".", "[.]").replace(/:\*$/u, "(:[0-9]+)?")).join("|");

/** True if pages of an origin may read the replies of the service. @param origins the operator's CORS setting. */
export const isAllowedOrigin = (origins: readonly string[], origin: string): boolean =>
  origins.length > 0 && new RegExp(`^(?:${originPattern(origins)})$`, "u").test(origin);

/** Request headers that cross-origin pages may send, in addition to those that CORS always allows. */
const requestHeaders = [
  "Authorization",
  "X-API-Key",
  "X-Project-ID",
  "X-Project-Name",
  "X-Organization-ID",
  "Content-Type",
  "Idempotency-Key",
  "If-None-Match",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "traceparent",
] as const;

/** Reply headers that cross-origin pages may read, in addition to those that CORS always exposes. */
const responseHeaders = [
  "X-Request-ID",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "ETag",
  "Link",
  "X-Project-Created",
  "X-Ignored-Fields",
  "X-Warnings",
] as const;

/** CORS header of replies to allowed origins. */
export const exposedHeaders = { "Access-Control-Expose-Headers": responseHeaders.join(", ") } as const;

/** Seconds that a browser may cache the reply to a preflight request. */
const preflightMaxAgeSeconds = 600;

/** Returns the headers of the reply to a preflight request, except `Access-Control-Allow-Origin`. @param methods HTTP methods of the path. */
export const preflightHeaders = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  "Access-Control-Allow-Methods": methods.join(", "),
  "Access-Control-Allow-Headers": requestHeaders.join(", "),
  "Access-Control-Max-Age": String(preflightMaxAgeSeconds),
  Vary: "Origin",
});
