import * as v from "valibot";
import { granularities } from "../../domain/analytics/bucket.ts";
import { dimensionNames, maxDimensions } from "../../domain/scores/dimensions.ts";
import { scoreMixtures } from "../../domain/scores/summary.ts";
import { scoreUnitNames } from "../../domain/scores/unit.ts";
import { integer, listOf, oneOf, pageLimit, replyInstant, singleValue, text } from "../schema/fields.ts";
import { route, targetNames, type TargetWord } from "../route.ts";
import { corrected, correctedParameter, estimate, estimatedFigures, rule_based_count } from "./estimates.ts";
import { creationRange, figureSource, judgeVersion, metricVersion } from "./filters.ts";
import { scoreTraceQuery } from "./trace-filters.ts";

const nullableNumber = v.nullable(v.number());

/** Query parameter of the version or the id of the judge. */
export const judge = v.optional(singleValue(judgeVersion));

/** Query parameter of the name of the scores. */
export const metricNameParameter = singleValue(v.pipe(text(1024), v.description("Name of the scores, exact match.")));

const groupByDescription =
  `Groups of the reply, at most ${maxDimensions}: ${dimensionNames.join(", ")}, or \`metadata.<key>\` of a key that the project declares; ` +
  "separated by commas, or the parameter repeated. A trace with several tags or models counts in each of its groups. The 50 groups with the " +
  "most scores are returned and the others as one, with `is_other`. A session is in the groups of its newest matching trace.";

const rangeFilters = {
  judge,
  source: figureSource,
  metric_version: v.optional(singleValue(metricVersion)),
  ...creationRange,
  ...scoreTraceQuery,
  group_by: v.optional(v.pipe(listOf(text(80, 1), 10), v.description(groupByDescription))),
};

const trendQuery = v.object({
  metric_name: metricNameParameter,
  ...rangeFilters,
  granularity: v.optional(singleValue(oneOf(granularities)), ["day"]),
  corrected: correctedParameter,
});

const distributionQuery = v.object({
  metric_name: metricNameParameter,
  ...rangeFilters,
  buckets: pageLimit(100, 10),
});

const optionalEstimate = v.optional(estimate);

const groupFields = {
  unit: v.optional(
    v.pipe(
      oneOf(scoreUnitNames),
      v.description(
        "What is counted: with filters of traces, `group_by` or `corrected` the newest score of each trace or session, a person's before a judge's about " +
          "the same content of a trace; with a judge or a metric's version every score. Absent without filters of traces, groups and `corrected`: every score is counted then.",
      ),
    ),
  ),
  group: v.optional(
    v.pipe(
      v.record(v.string(), v.nullable(v.string())),
      v.description("Values of the group by the names in `group_by`; null for traces or scores without a value."),
    ),
  ),
  is_other: v.optional(
    v.pipe(v.boolean(), v.description("True for the sum of all groups but the 50 largest, whose values are `other`.")),
  ),
};

const summary = v.pipe(
  v.object({
    ...groupFields,
    count: v.optional(
      v.pipe(
        integer,
        v.description("Number of counted scores of any status, with those whose metric is not applicable."),
      ),
    ),
    applicable_rate: optionalEstimate,
    mean: optionalEstimate,
    median: optionalEstimate,
    pass_rate: optionalEstimate,
    corrected: v.optional(corrected),
    metric_name: v.string(),
    avg_score: nullableNumber,
    min_score: nullableNumber,
    max_score: nullableNumber,
    median_score: nullableNumber,
    success_count: integer,
    failed_count: integer,
    inapplicable_count: v.pipe(
      integer,
      v.description("Number of scores whose metric is not applicable; they are excluded from all other values."),
    ),
    rule_based_count,
    latest_score_at: replyInstant,
    values: v.optional(
      v.pipe(
        v.array(v.object({ value: v.string(), count: integer })),
        v.description("The 50 most frequent categories with their counts; absent without CATEGORICAL scores."),
      ),
    ),
    mixed: v.optional(
      v.pipe(
        v.array(oneOf(scoreMixtures)),
        v.description(
          "Why the scores of this name cannot be compared with each other: several data `types`, or several `scales`, numbers between 0 and " +
            "1 beside greater ones. Absent if they can, and for `types` beyond the first 100 names of a reply.",
        ),
      ),
    ),
  }),
  v.title("ScoreSummary"),
  v.description(
    "Statistics of the scores of one name. Values cover the numbers of successful scores: those of NUMERIC ones, 1 for true and 0 for false, none for " +
      "categories. BOOLEAN scores and categories that a version without these figures stored are counted once the scan of all tables " +
      "has ended that begins an hour after the upgrade. Counts cover all applicable scores. With filters of traces, " +
      `groups or \`corrected\` there are figures with intervals: ${estimatedFigures}.`,
  ),
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
      rule_based_count: 0,
      latest_score_at: "2026-11-21T09:00:05.000000+00:00",
    },
  ]),
);

const trendBucket = v.pipe(
  v.object({
    ...groupFields,
    mean: optionalEstimate,
    pass_rate: optionalEstimate,
    corrected: v.optional(corrected),
    bucket: replyInstant,
    metric_name: v.string(),
    avg_score: v.number(),
    p10_score: v.pipe(
      v.number(),
      v.description("10th percentile of the scores, interpolated between the two nearest."),
    ),
    p90_score: v.pipe(v.number(), v.description("90th percentile of the scores, interpolated like the 10th.")),
    count: integer,
    inapplicable_count: v.pipe(
      integer,
      v.description("Number of scores in the bucket whose metric is not applicable."),
    ),
    rule_based_count,
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
      rule_based_count: 0,
    },
  ]),
);

const distributionBucket = v.pipe(
  v.object({ ...groupFields, bucket: integer, bucket_min: v.number(), bucket_max: v.number(), count: integer }),
  v.title("ScoreDistributionBucket"),
  v.description(
    "Number of scores from the lower bound, inclusive, to the upper bound, exclusive except in the last bucket.",
  ),
  v.examples([{ bucket: 8, bucket_min: 0.7, bucket_max: 0.8, count: 3 }]),
);

/** Lag of the statistics and their limit, for the descriptions of routes. */
export const lagDescription =
  "May lag behind writes by seconds. With `judge`, `source` or `metric_version` the individual scores are read, and a request that would read too many is refused: " +
  "more than 500,000 traces by filters or groups, those of closed UTC days not among them, which are read as by `GET /traces`, but for days of which a twentieth has " +
  "changed or been scored since their files were written: until the next pass, within 13 hours, or by `POST /exports`.";
/** Path of all statistics of scores. */
export const scoreAnalyticsPath = "/evaluations/analytics";

/** Defines the routes for statistics of scores of traces or of sessions. */
const analyticsRoutes = <Word extends TargetWord>(target: Word) => {
  const name = targetNames[target];
  const path = `${scoreAnalyticsPath}/${target}-scores` as const;
  const common = {
    method: "GET",
    access: "project",
    permission: "read",
    success: 200,
    grants: {
      rows: ["Query"],
      aggregates: ["Query", "BatchGetItem"],
      scores: ["Query", "BatchGetItem"],
      monitors: ["GetItem"],
    },
    searchesLake: true,
    warns: true,
    memory: 1024,
  } as const;
  return {
    getSummary: route({
      ...common,
      id: `get${name}ScoreSummary`,
      path: `${path}/summary`,
      handler: `api/scores/get-${target}-score-summary`,
      summary: `Get ${target} score summary`,
      description: `Returns one summary per score name, ordered by name. ${lagDescription}`,
      query: v.object({ metric_name: v.optional(metricNameParameter), ...rangeFilters, corrected: correctedParameter }),
      reply: v.array(summary),
    }),
    getTrend: route({
      ...common,
      id: `get${name}ScoreTrend`,
      path: `${path}/trend`,
      handler: `api/scores/get-${target}-score-trend`,
      summary: `Get ${target} score trend`,
      description:
        `Returns averages of the numbers of successful scores (true is 1, false 0) per UTC hour, day or week (from Monday) of creation, in ascending order; ` +
        `empty buckets are omitted. ${lagDescription}`,
      query: trendQuery,
      reply: v.array(trendBucket),
    }),
    getDistribution: route({
      ...common,
      id: `get${name}ScoreDistribution`,
      path: `${path}/distribution`,
      handler: `api/scores/get-${target}-score-distribution`,
      summary: `Get ${target} score distribution`,
      description:
        "Returns a histogram of the numbers of successful scores (true is 1, false 0) with buckets of equal width from 0 to 1, or from the minimum to the " +
        `maximum if any value is outside of 0 to 1. Empty buckets are omitted. ${lagDescription}`,
      query: distributionQuery,
      reply: v.array(distributionBucket),
    }),
  };
};

export const {
  getSummary: getTraceScoreSummary,
  getTrend: getTraceScoreTrend,
  getDistribution: getTraceScoreDistribution,
} = analyticsRoutes("trace");

export const {
  getSummary: getSessionScoreSummary,
  getTrend: getSessionScoreTrend,
  getDistribution: getSessionScoreDistribution,
} = analyticsRoutes("session");
