import type { RequestWork } from "../domain/request-work.ts";
import type { Route } from "./route.ts";
import { partOf } from "./schema/schema-part.ts";

/** Highest limit in requests per minute: one DynamoDB item takes at most 1,000 writes per second, and refused requests count too. */
export const maxCountedPerMinute = 30_000;

/** True for lists and analytics of a project, of which a single request can read an unbounded number of items. */
const isList = ({ access, method, query, grants }: Route): boolean =>
  access === "project" &&
  method === "GET" &&
  (grants.aggregates !== undefined || (query !== undefined && partOf(query).entries?.["limit"] !== undefined));

/**
 * True for lists and analytics of a project, and for traces, spans and scores, of which one can have 32 MiB. The DynamoDB read
 * units of their requests are counted in addition to the requests.
 */
export const isReadHeavy = (route: Route): boolean =>
  isList(route) ||
  (route.access === "project" &&
    // The grants of a function that stores runs, too.
    route.protocol === undefined &&
    route.method === "GET" &&
    (route.grants.bodies !== undefined || route.grants.scores !== undefined));

/** Returns the most work of a request. A route that searches rows may read the 2,000,000 of a list, of 2 KB each. */
export const budgetOf = ({ grants, budget }: Pick<Route, "grants" | "budget">): Partial<RequestWork> => ({
  ...(grants.rows?.includes("Query") === true && { readUnits: 1_000_000 }),
  ...budget,
});

/** Rate limits in requests per minute and client, by route id, of routes other than lists for which the contract specifies none. */
const serviceLimits: ReadonlyMap<string, number> = new Map([
  ...[
    "exportTraces",
    "exportTracesLangfuse",
    "exportTracesLangsmith",
    "exportTracesLangsmithEndpoint",
    "exportLogs",
    "exportMetrics",
    "createSpans",
    "ingestLangfuse",
    "createLangfuseScores",
    "createLangfuseMedia",
    "ingestLangsmithRuns",
    "ingestLangsmithBatch",
    "createLangsmithRun",
    "updateLangsmithRun",
    "createLangsmithFeedback",
    "updateLangsmithFeedback",
  ].map((id) => [id, 6_000] as const),
  ...["createApiKey", "rotateApiKey", "importOwnMetric", "eraseUser"].map((id) => [id, 20] as const),
  // The console's metric editor sends dry runs while the user types.
  ["createOwnMetric", 300],
  ["previewOwnMetric", 50],
  // The console's form sends previews while the user types.
  ["previewAlert", 60],
  // Who waits for files repeats it; each may write 100 items.
  ["createExport", 60],
  ...["getTrace", "getSpan", "getScore", "getTraceScores", "getSessionScores"].map((id) => [id, 3_000] as const),
  ...["getUsage", "getBilling"].map((id) => [id, 60] as const),
]);

/** Ids of routes other than lists whose rate limit is not part of the contract. */
export const routesWithServiceLimit: ReadonlySet<string> = new Set(serviceLimits.keys());

/** Returns a route's rate limit in requests per minute and client; undefined if it has none. */
export const clientLimit = (route: Route): number | undefined =>
  route.limitPerMinute ?? serviceLimits.get(route.id) ?? (isList(route) ? 600 : undefined);

/** Multiplies a rate limit by a factor; the result is 1 to `maxCountedPerMinute`. */
export const scaledLimit = (limit: number, factor: number): number =>
  Math.min(maxCountedPerMinute, Math.max(1, Math.round(limit * factor)));

/** Ids of routes whose limit the contract specifies per client; no organization-wide limit is added to them. */
const routesWithoutOrganizationLimit: ReadonlySet<string> = new Set([
  "createTrace",
  "createTraceRun",
  "createTraceBatchRun",
  "createSessionRun",
  "triggerMonitor",
]);

/**
 * Returns the requests per minute of a route that all keys and users of an organization share; null for no limit.
 *
 * @param perClient the route's limit per client, in requests per minute.
 */
export const organizationCeiling = (
  { id }: Pick<Route, "id">,
  perClient: number,
  settings: { readonly organizationFactor: number; readonly organizationLimit: number | null },
): number | null => {
  if (settings.organizationLimit !== null) return settings.organizationLimit;
  if (settings.organizationFactor === 0 || routesWithoutOrganizationLimit.has(id)) return null;
  return Math.max(perClient, Math.ceil(perClient * settings.organizationFactor));
};

/** Default throttle of API Gateway in requests per second and AWS account. */
const maxRequestsPerSecond = 10_000;

/** Returns the throttle of API Gateway's usage plan in requests per second and client, which also holds for routes without a limit. */
export const usagePlanRate = (factor: number): number =>
  Math.min(maxRequestsPerSecond, Math.max(1, Math.ceil(100 * factor)));

/** Default ratio of the rate limit of an organization to that of one client. */
export const defaultOrganizationFactor = 10;

/** Default limit of DynamoDB read units per client and minute. */
export const defaultReadUnits = 100_000;
