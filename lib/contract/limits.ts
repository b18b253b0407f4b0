import type { Route } from "./route.ts";

/** What one counter holds in a minute: DynamoDB takes 1,000 writes of an item each second, refused requests are counted, too. */
export const mostCountable = 30_000;

/** Limits of ours in requests per minute and client, where the interface has none of its own, by route id. */
const guards: ReadonlyMap<string, number> = new Map([
  ...["exportTraces", "exportLogs", "exportMetrics", "createSpans", "ingestLangfuse", "createLangfuseScores"].map(
    (id) => [id, 6_000] as const,
  ),
  ...[
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
  ].map((id) => [id, 600] as const),
  ...["createApiKey", "rotateApiKey"].map((id) => [id, 20] as const),
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
