import type { APIGatewayProxyEvent } from "aws-lambda";
import type { GenericSchema } from "valibot";
import { exposedHeaders, isAllowedOrigin } from "../contract/cross-origin.ts";
import { givesWarnings, type Route, securityHeaders } from "../contract/route.ts";
import { isPart, partOf, partsOf, type Part } from "../contract/schema/schema-part.ts";
import { errorDocsPath, type ErrorCode } from "../domain/error-codes.ts";
import { withMicroseconds } from "../domain/instant.ts";
import type { Refusal, RefusalReason } from "../domain/refusal.ts";
import { headerValues } from "./event.ts";
import type { Exchange, RateState } from "./exchange.ts";
import { violationsBody } from "./violations.ts";
import { warningHeaders } from "./warnings.ts";

/** HTTP reply in the form of a Lambda proxy integration. */
export interface Reply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** True if `body` is base64-encoded binary data. */
  readonly isBase64Encoded?: true;
}

/** Wire format of a foreign protocol such as OTLP: decodes request bodies and encodes replies. */
export interface WireFormat {
  /**
   * Decodes the body of a request for the route's schema, or returns a promise of it.
   *
   * @param warn reports a part of the body that is not read.
   * @throws Refusal when the body is malformed.
   */
  read(event: APIGatewayProxyEvent, warn: Exchange["warn"]): unknown;
  /** Encodes a reply of the service in the protocol's form. */
  write(event: APIGatewayProxyEvent, reply: Reply): Reply;
}

/** HTTP status and error code by kind of refusal. */
const statusAndCode = {
  invalid: [422, "validation_error"],
  unauthenticated: [401, "unauthenticated"],
  forbidden: [403, "forbidden"],
  "not-found": [404, "not_found"],
  conflict: [409, "conflict"],
  "too-large": [413, "too_large"],
  "unsupported-media-type": [415, "unsupported_media_type"],
  "rate-limited": [429, "rate_limited"],
  unavailable: [503, "unavailable"],
} as const satisfies Record<RefusalReason["kind"], readonly [status: number, code: ErrorCode]>;

/** Returns the HTTP status of a refusal. */
export const statusOf = ({ kind }: RefusalReason): number => statusAndCode[kind][0];

/** Request data that error replies contain. */
type ErrorContext = Pick<Exchange, "requestId" | "serviceUrl">;

const jsonHeaders = (requestId: string): Record<string, string> => ({
  "Content-Type": "application/json",
  "X-Request-ID": requestId,
  ...securityHeaders,
});

/** Returns the headers of a successful reply, apart from those of the answer. */
export const successHeaders = ({ route, requestId, isReplayed }: Exchange): Record<string, string> => ({
  ...jsonHeaders(requestId),
  ...(route.media === undefined ? {} : { "Content-Type": route.media }),
  ...route.headers,
  ...(isReplayed && { "Idempotent-Replayed": "true" }),
});

/** `Vary` values of GET replies, so that a cache does not serve a reply to another caller or in another encoding. */
const varied = {
  public: "Accept-Encoding",
  guarded: "Accept-Encoding, Authorization, X-API-Key, X-Project-ID, X-Project-Name, X-Organization-ID",
};

/** Returns the caching headers of every GET reply. Replies to verified callers are `private, no-cache`. */
const readHeaders = ({ method, access, headers = {}, hasLines, textMedia }: Route): Record<string, string> => {
  if (method !== "GET") return {};
  const isGuarded = access !== "public";
  return {
    Vary: `${hasLines === true || textMedia !== undefined ? "Accept, " : ""}${isGuarded ? varied.guarded : varied.public}`,
    ...(isGuarded && !("Cache-Control" in headers) && { "Cache-Control": "private, no-cache" }),
  };
};

/**
 * Returns the headers `RateLimit-Policy` and `RateLimit` of a request's limits (draft-ietf-httpapi-ratelimit-headers-11);
 * unknown quotas are left out of `RateLimit`.
 */
const rateHeaders = (rateStates: readonly RateState[]): Record<string, string> => {
  const policies = rateStates.map(({ policy, limit, window }) => `"${policy}";q=${limit};w=${window}`);
  const quotas = rateStates.flatMap(({ policy, quota }) =>
    quota === null ? [] : [`"${policy}";r=${quota.remaining};t=${quota.seconds}`],
  );
  return {
    ...(policies.length > 0 && { "RateLimit-Policy": policies.join(", ") }),
    ...(quotas.length > 0 && { RateLimit: quotas.join(", ") }),
  };
};

/** Returns the CORS headers: none without configured origins, and `Access-Control-Allow-Origin` only for an allowed origin. */
const crossOriginHeaders = (event: APIGatewayProxyEvent, origins: readonly string[]): Record<string, string> => {
  if (origins.length === 0) return {};
  const origin = headerValues(event, "Origin")[0];
  const allowed = origin !== undefined && isAllowedOrigin(origins, origin);
  // `Vary` keeps a cache from serving the reply to a page of another origin.
  return { Vary: "Origin", ...(allowed && { "Access-Control-Allow-Origin": origin, ...exposedHeaders }) };
};

/** Merges header objects; their `Vary` values are joined. */
const mergeHeaders = (headerSets: readonly Readonly<Record<string, string>>[]): Record<string, string> => {
  const varied = headerSets.flatMap(({ Vary }) => Vary ?? []);
  return { ...Object.assign({}, ...headerSets), ...(varied.length > 0 && { Vary: varied.join(", ") }) };
};

/**
 * Returns the headers of every reply, successful or not: caching, rate limits, created project, ignored fields, warnings, CORS.
 *
 * @param origins allowed browser origins from the deployment's settings.
 */
export const replyHeaders = (
  { event, route, rateStates, hasCreatedProject, ignoredFields, warnings }: Exchange,
  origins: readonly string[],
): Record<string, string> =>
  mergeHeaders([
    readHeaders(route),
    rateHeaders(rateStates),
    hasCreatedProject ? { "X-Project-Created": "true" } : {},
    ignoredFields.length > 0 ? { "X-Ignored-Fields": ignoredFields.join(", ") } : {},
    givesWarnings(route) ? warningHeaders(warnings) : {},
    crossOriginHeaders(event, origins),
  ]);

const retryHeader = (reason: RefusalReason, busyWait: () => number): Record<string, string> => {
  if (reason.kind !== "rate-limited" && reason.kind !== "unavailable") return {};
  const seconds = reason.kind === "rate-limited" ? reason.retryAfter : null;
  return { "Retry-After": String(seconds ?? busyWait()) };
};

/** Returns the members of an error body besides `detail`. */
const errorMembers = (code: ErrorCode, { requestId, serviceUrl }: ErrorContext) => ({
  code,
  request_id: requestId,
  documentation_url: `${serviceUrl}${errorDocsPath(code)}`,
});

/** Returns the reply for a refusal. @param busyWait returns the seconds after which a client may return that is refused for overload. */
export const refusalReply = ({ reason }: Refusal, context: ErrorContext, busyWait: () => number): Reply => {
  const body = reason.kind === "invalid" ? violationsBody(reason.violations) : { detail: reason.detail };
  return {
    statusCode: statusOf(reason),
    headers: { ...jsonHeaders(context.requestId), ...retryHeader(reason, busyWait) },
    body: JSON.stringify({ ...body, ...errorMembers(reason.code ?? statusAndCode[reason.kind][1], context) }),
  };
};

/** Returns the 500 reply for an internal fault, without details of the fault. */
export const faultReply = (context: ErrorContext): Reply => ({
  statusCode: 500,
  headers: jsonHeaders(context.requestId),
  body: JSON.stringify({ detail: "Internal Server Error", ...errorMembers("internal_error", context) }),
});

/** Conversion of the instants in a value to the format of replies; other values are unchanged. */
type Change = (value: unknown) => unknown;

const changeInstant: Change = (value) => (typeof value === "string" ? withMicroseconds(value) : value);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const inItems =
  (change: Change): Change =>
  (value) =>
    Array.isArray(value) ? value.map(change) : value;

const inMembers =
  (changes: readonly (readonly [name: string, change: Change])[]): Change =>
  (value) => {
    if (!isObject(value)) return value;
    const changed: Record<string, unknown> = { ...value };
    for (const [name, change] of changes) if (changed[name] !== undefined) changed[name] = change(changed[name]);
    return changed;
  };

/** Converts the instants of all options of a union. A member that two options share is an instant in both or in neither. */
const inOptions =
  (changes: readonly Change[]): Change =>
  (value) =>
    changes.reduce((changed, change) => change(changed), value);

/** Returns the conversion for a schema; null if the schema has no instants. Free-form data is not converted. */
const changeOf = (schema: Part | undefined): Change | null => {
  if (schema === undefined) return null;
  const parts = partsOf(schema);
  if (parts.some(({ metadata }) => metadata?.jsonSchema?.output.format === "date-time")) return changeInstant;
  const [{ entries, item, wrapped, options = [] } = schema] = parts;
  if (entries !== undefined) {
    const changes = Object.entries(entries).flatMap(([name, entry]) => {
      const change = changeOf(entry);
      return change === null ? [] : [[name, change] as const];
    });
    return changes.length === 0 ? null : inMembers(changes);
  }
  if (item !== undefined) {
    const change = changeOf(item);
    return change === null ? null : inItems(change);
  }
  if (wrapped !== undefined) return changeOf(wrapped);
  const changes = options.filter(isPart).flatMap((option) => changeOf(option) ?? []);
  return changes.length === 0 ? null : inOptions(changes);
};

/** Serializes an answer as JSON. */
export type ReplyWriter = (answer: unknown) => string;

/** Returns a JSON writer for a schema. Instants are always written with microseconds, whatever their stored format. */
export const replyWriter = (schema: GenericSchema): ReplyWriter => {
  const change = changeOf(partOf(schema));
  return change === null ? (answer) => JSON.stringify(answer) : (answer) => JSON.stringify(change(answer));
};

/** JSON writers for the kinds of answers of a route. */
export interface ReplyWriters {
  readonly reply: ReplyWriter;
  readonly dryRun: ReplyWriter;
  readonly report: ReplyWriter;
}

/** Returns the JSON writers of a route. */
export const replyWriters = ({ reply, dryRun = reply, report = reply }: Route): ReplyWriters => ({
  reply: replyWriter(reply),
  dryRun: replyWriter(dryRun),
  report: replyWriter(report),
});
