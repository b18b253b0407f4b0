import type { Route } from "./route.ts";

/** What one counter holds in a minute: DynamoDB takes 1,000 writes of an item each second, refused requests are counted, too. */
export const mostCountable = 30_000;

/** Lists and analytics: what one request of them reads has no bound but what there is. */
const lists = [
  "listTraces",
  "listUsers",
  "getTraceAnalytics",
  "listSessions",
  "getSession",
  "getSessionAnalytics",
  "listTraceScores",
  "listSessionScores",
  "getTraceScoreSummary",
  "getTraceScoreTrend",
  "getTraceScoreDistribution",
  "getSessionScoreSummary",
  "getSessionScoreTrend",
  "getSessionScoreDistribution",
  "getSessionScoreHistory",
  "compareSessionScores",
  "listTraceRuns",
  "listTraceRunTargets",
  "listTraceRunScores",
  "listSessionRuns",
  "listSessionRunTargets",
  "listSessionRunScores",
  "listMonitors",
  "listMonitorRuns",
  "listFirings",
  "listPrices",
  "listOwnMetrics",
  "listGalleryMetrics",
];

const readers: ReadonlySet<string> = new Set(lists);

/** Whether what a route's requests read is counted, too. */
export const readsMuch = ({ id }: Pick<Route, "id">): boolean => readers.has(id);

/** Limits of ours in requests per minute and client, where the interface has none of its own, by route id. */
const guards: ReadonlyMap<string, number> = new Map([
  ...["exportTraces", "exportLogs", "exportMetrics", "createSpans", "ingestLangfuse", "createLangfuseScores"].map(
    (id) => [id, 6_000] as const,
  ),
  ...lists.map((id) => [id, 600] as const),
  ...["createApiKey", "rotateApiKey"].map((id) => [id, 20] as const),
  // An editor tries out what is typed.
  ...["createOwnMetric", "importOwnMetric"].map((id) => [id, 300] as const),
  ["previewOwnMetric", 50],
  ...["getUsage", "getBilling"].map((id) => [id, 60] as const),
]);

/** The routes with a limit of ours. */
export const guarded: ReadonlySet<string> = new Set(guards.keys());

/** Requests per minute and client that a route takes: the interface's limit or ours; undefined for neither. */
export const limitOf = ({
  id,
  answeredBy = id,
  limitPerMinute,
}: Pick<Route, "id" | "answeredBy" | "limitPerMinute">): number | undefined => limitPerMinute ?? guards.get(answeredBy);

/** A limit times a factor: one at least, and no more than can be counted. */
export const factored = (limit: number, factor: number): number =>
  Math.min(mostCountable, Math.max(1, Math.round(limit * factor)));

/** The interface's own limits: it knows no ceiling of organizations beside them. */
const ofInterface: ReadonlySet<string> = new Set([
  "createTrace",
  "createTraceRun",
  "createTraceBatchRun",
  "createSessionRun",
  "triggerMonitor",
]);

/**
 * Requests per minute of a route that all keys and users of an organization have together; null for no bound.
 *
 * @param perClient what one of them has.
 */
export const ceilingOf = (
  { id }: Pick<Route, "id">,
  perClient: number,
  settings: { readonly organizationFactor: number; readonly organizationLimit: number | null },
): number | null => {
  if (settings.organizationLimit !== null) return settings.organizationLimit;
  if (settings.organizationFactor === 0 || ofInterface.has(id)) return null;
  return Math.max(perClient, Math.ceil(perClient * settings.organizationFactor));
};

/** Requests a second that API Gateway takes of an account, whatever a plan says. */
const mostPerSecond = 10_000;

/** Requests a second that the usage plan lets through of one client, at least: what there is where nothing is counted. */
export const guardPerSecond = (factor: number): number => Math.min(mostPerSecond, Math.max(1, Math.ceil(100 * factor)));

/** What an organization may do of what a client may, where nothing is set; and read units of a client a minute. */
export const defaultOrganizationFactor = 10;
export const defaultReadUnits = 100_000;
