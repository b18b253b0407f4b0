/** An origin as an operator lists it: `https://app.example.com`, or this machine's with any port, `http://localhost:*`. */
const form =
  /^(?:https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|http:\/\/(?:localhost|127\.0\.0\.1))(?::(?:\d{1,5}|\*))?$/u;
const loopback = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::|$)/u;

/** Whether a text is an origin that may be listed; a port of `*` is for this machine's only. */
export const isListable = (origin: string): boolean =>
  form.test(origin) && (!origin.endsWith(":*") || loopback.test(origin));

/** Pages that this machine serves, whatever their port. */
export const loopbackOrigins: readonly string[] = ["http", "https"].flatMap((scheme) =>
  ["localhost", "127.0.0.1"].map((host) => `${scheme}://${host}:*`),
);

/**
 * What the origins of a list look like, as the source of a regular expression that holds for the whole of one. It has no
 * backslash, which a mapping template would read otherwise than a regular expression does.
 */
export const originPattern = (origins: readonly string[]): string =>
  origins.map((origin) => origin.replaceAll(".", "[.]").replace(/:\*$/u, "(:[0-9]+)?")).join("|");

/** Whether a page of this origin may read replies. */
export const isAllowed = (origins: readonly string[], origin: string): boolean =>
  origins.length > 0 && new RegExp(`^(?:${originPattern(origins)})$`, "u").test(origin);

/** What a page may send beside what every page may. */
const sentHeaders = [
  "Authorization",
  "X-API-Key",
  "X-Project-ID",
  "X-Project-Name",
  "X-Organization-ID",
  "Content-Type",
  "Idempotency-Key",
  "If-None-Match",
] as const;

/** What a page may read beside what every page may. */
const readHeaders = [
  "X-Request-ID",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "ETag",
  "Link",
  "X-Project-Created",
] as const;

/** Headers of every reply that a page may read. */
export const exposedHeaders = { "Access-Control-Expose-Headers": readHeaders.join(", ") } as const;

/** Seconds that a browser remembers what it may do. */
const rememberedSeconds = 600;

/** Headers of the answer to a browser that asks what a page may do, but for the origin. @param methods of the path. */
export const preflightHeaders = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  "Access-Control-Allow-Methods": methods.join(", "),
  "Access-Control-Allow-Headers": sentHeaders.join(", "),
  "Access-Control-Max-Age": String(rememberedSeconds),
  Vary: "Origin",
});
