import * as v from "valibot";
import { granularities } from "../../domain/analytics/bucket.ts";
import { scoreStatuses } from "../../domain/scores/score.ts";
import { instant, replyInstant, once, oneOf, page, pageLimit, paging, text, uuid } from "../fields.ts";
import { route } from "../route.ts";
import { stale } from "./fields.ts";
import { judgeVersion, metricVersion } from "./filters.ts";

const integer = v.pipe(v.number(), v.integer());
const orNull = v.nullable(v.number());

const judge = v.optional(once(judgeVersion));

const metricName = once(v.pipe(text(1024), v.description("The name of the scores, exactly.")));

const range = {
  judge,
  metric_version: v.optional(once(metricVersion)),
  date_from: v.optional(once(v.pipe(instant, v.description("Scores created then or later.")))),
  date_to: v.optional(once(v.pipe(instant, v.description("Scores created before then.")))),
};

const trendQuery = v.object({
  metric_name: metricName,
  ...range,
  granularity: v.optional(once(oneOf(granularities)), ["day"]),
});

const distributionQuery = v.object({
  metric_name: metricName,
  ...range,
  buckets: pageLimit(100, 10),
});

const summary = v.pipe(
  v.object({
    metric_name: v.string(),
    avg_score: orNull,
    min_score: orNull,
    max_score: orNull,
    median_score: orNull,
    success_count: integer,
    failed_count: integer,
    inapplicable_count: v.pipe(
      integer,
      v.description("Scores whose metric does not apply: in none of the figures, and in no other count."),
    ),
    latest_score_at: replyInstant,
  }),
  v.title("ScoreSummary"),
  v.description("Scores of one name. The figures are of successful numeric scores, the counts of all that apply."),
  v.examples([
    {
      metric_name: "task_completion",
      avg_score: 0.8125,
      min_score: 0.25,
      max_score: 1,
      median_score: 0.875,
      success_count: 4,
      failed_count: 1,
      inapplicable_count: 2,
      latest_score_at: "2026-11-21T09:00:05.000000+00:00",
    },
  ]),
);

const trendBucket = v.pipe(
  v.object({
    bucket: replyInstant,
    metric_name: v.string(),
    avg_score: v.number(),
    p10_score: v.pipe(v.number(), v.description("What a tenth of the scores lie below.")),
    p90_score: v.pipe(v.number(), v.description("What a tenth of the scores lie above.")),
    count: integer,
    inapplicable_count: v.pipe(integer, v.description("Scores of that time whose metric does not apply.")),
  }),
  v.title("ScoreTrendBucket"),
  v.examples([
    {
      bucket: "2026-11-21T00:00:00.000000+00:00",
      metric_name: "task_completion",
      avg_score: 0.8125,
      p10_score: 0.4,
      p90_score: 1,
      count: 4,
      inapplicable_count: 1,
    },
  ]),
);

const distributionBucket = v.pipe(
  v.object({ bucket: integer, bucket_min: v.number(), bucket_max: v.number(), count: integer }),
  v.title("ScoreDistributionBucket"),
  v.description("From its lower bound up to its upper one, which only the last of all has too."),
  v.examples([{ bucket: 8, bucket_min: 0.7, bucket_max: 0.8, count: 3 }]),
);

const historyPoint = v.pipe(
  v.object({
    metric_name: v.string(),
    score: orNull,
    eval_run_id: v.nullable(uuid),
    created_at: replyInstant,
    status: oneOf(scoreStatuses),
    stale,
  }),
  v.title("SessionScorePoint"),
  v.examples([
    {
      metric_name: "agent_reliability",
      score: 0.8125,
      eval_run_id: "d3b0a1de-8f5c-4c39-8a7e-2c1f4b6a9e02",
      created_at: "2026-11-21T09:00:05.000000+00:00",
      status: "SUCCESS",
      stale: false,
    },
  ]),
);

const comparedSession = v.pipe(
  v.object({ session_id: v.string(), score: orNull, evaluated_at: replyInstant, eval_run_id: v.nullable(uuid), stale }),
  v.title("ComparedSession"),
  v.examples([
    {
      session_id: "chat-7",
      score: 0.8125,
      evaluated_at: "2026-11-21T09:00:05.000000+00:00",
      eval_run_id: "d3b0a1de-8f5c-4c39-8a7e-2c1f4b6a9e02",
      stale: false,
    },
  ]),
);

const lag =
  "May lag behind writes by seconds. Of one judge, or of one version of a metric, the scores themselves are read: what would take too long is refused.";
const base = "/evaluations/analytics";

/** What a summary is, of whichever scores; likewise those below. */
const summaries = {
  method: "GET",
  description: `One for each name, by name. ${lag}`,
  access: "project",
  permission: "read",
  query: v.object({ metric_name: v.optional(metricName), ...range }),
  success: 200,
  reply: v.array(summary),
  grants: { aggregates: ["Query"], scores: ["Query", "BatchGetItem"] },
  memory: 1024,
} as const;

const trend = {
  method: "GET",
  description:
    `Averages of successful numeric scores by the UTC hour, day or week (from Monday) of their creation, ascending; ` +
    `times without a score are left out. ${lag}`,
  access: "project",
  permission: "read",
  query: trendQuery,
  success: 200,
  reply: v.array(trendBucket),
  grants: { aggregates: ["Query"], scores: ["Query", "BatchGetItem"] },
  memory: 1024,
} as const;

const distribution = {
  method: "GET",
  description:
    "How the values of successful numeric scores spread: equal buckets from 0 to 1, or from the least to the greatest " +
    `value when not all lie there. Empty buckets are left out. ${lag}`,
  access: "project",
  permission: "read",
  query: distributionQuery,
  success: 200,
  reply: v.array(distributionBucket),
  grants: { aggregates: ["Query"], scores: ["Query", "BatchGetItem"] },
  memory: 1024,
} as const;

export const getTraceScoreSummary = route({
  ...summaries,
  id: "getTraceScoreSummary",
  path: `${base}/trace-scores/summary`,
  handler: "api/scores/get-trace-score-summary",
  summary: "Sum up the scores of traces",
});

export const getTraceScoreTrend = route({
  ...trend,
  id: "getTraceScoreTrend",
  path: `${base}/trace-scores/trend`,
  handler: "api/scores/get-trace-score-trend",
  summary: "Follow the scores of traces over time",
});

export const getTraceScoreDistribution = route({
  ...distribution,
  id: "getTraceScoreDistribution",
  path: `${base}/trace-scores/distribution`,
  handler: "api/scores/get-trace-score-distribution",
  summary: "See how the scores of traces spread",
});

export const getSessionScoreSummary = route({
  ...summaries,
  id: "getSessionScoreSummary",
  path: `${base}/session-scores/summary`,
  handler: "api/scores/get-session-score-summary",
  summary: "Sum up the scores of sessions",
});

export const getSessionScoreTrend = route({
  ...trend,
  id: "getSessionScoreTrend",
  path: `${base}/session-scores/trend`,
  handler: "api/scores/get-session-score-trend",
  summary: "Follow the scores of sessions over time",
});

export const getSessionScoreDistribution = route({
  ...distribution,
  id: "getSessionScoreDistribution",
  path: `${base}/session-scores/distribution`,
  handler: "api/scores/get-session-score-distribution",
  summary: "See how the scores of sessions spread",
});

export const getSessionScoreHistory = route({
  id: "getSessionScoreHistory",
  method: "GET",
  path: `${base}/session-scores/history/{session_id}`,
  handler: "api/scores/get-session-score-history",
  summary: "Follow the scores of one session",
  description:
    "Its numeric scores of any status, oldest first. When there are more than `limit` the newest are given, the oldest " +
    "are left out. None when there is no such session.",
  access: "project",
  permission: "read",
  params: v.object({ session_id: text(255) }),
  query: v.object({
    metric_name: v.optional(metricName),
    judge,
    metric_version: v.optional(once(metricVersion)),
    limit: paging.limit,
  }),
  success: 200,
  reply: v.array(historyPoint),
  grants: { rows: ["Query"], scores: ["Query"] },
});

export const compareSessionScores = route({
  id: "compareSessionScores",
  method: "GET",
  path: `${base}/session-scores/comparison`,
  handler: "api/scores/compare-session-scores",
  summary: "Compare sessions by their newest score",
  description:
    "The newest successful numeric score of each session, by score; sessions with the same score are ordered by id, those " +
    `without a value are last. ${lag}`,
  access: "project",
  permission: "read",
  query: v.object({
    metric_name: metricName,
    judge,
    metric_version: v.optional(once(metricVersion)),
    sort_order: v.optional(once(oneOf(["asc", "desc"])), ["asc"]),
    limit: pageLimit(100, 20),
    offset: paging.offset,
    cursor: paging.cursor,
  }),
  success: 200,
  reply: page(comparedSession),
  grants: { rows: ["Query"], scores: ["Query"], aggregates: ["Query"] },
  memory: 1024,
});
