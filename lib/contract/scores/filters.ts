import * as v from "valibot";
import { invalid } from "../../domain/refusal.ts";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../../domain/scores/score.ts";
import { externalId, instant, singleValue, oneOf, text, uuid } from "../schema/fields.ts";
import { describedAs } from "../schema/json-schema.ts";
import { booleanText, numberText } from "../list-query.ts";

/** Query parameter of each score filter that traces and sessions share. */
const sharedParameters = {
  name: "name",
  source: "source",
  status: "status",
  eval_run_id: "eval_run_id",
  judge: "judge",
  model: "model",
  min_value: "min_value",
  max_value: "max_value",
  success: "success",
  applicable: "applicable",
  metric_version: "metric_version",
  stale: "stale",
  date_from: "date_from",
  date_to: "date_to",
} as const;

/** Schema of a judge's version, 12 hexadecimal digits, or of its id. */
export const judgeVersion = v.pipe(
  v.string(),
  v.regex(
    /^(?:.{1,300}#)?[0-9a-f]{12}$/u,
    "Input should be judge.version (12 hexadecimal digits) or judge.id of a score",
  ),
  v.description(
    "Judge, as `judge.version` or `judge.id` of a score; scores with the same version and model, which the id has both, come from the " +
      "same question.",
  ),
);

/** Schema of a version of a custom metric. */
export const metricVersion = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/u, "Input should be a version: a whole number from 1"),
  v.transform(Number),
  describedAs({ type: "integer", minimum: 1, maximum: 999_999 }),
  v.description("Version of a custom metric, as in the metadata of its scores; requires the name of the metric."),
);

/**
 * Checks that a metric version comes with the name of its metric.
 *
 * @param parameter query parameter of the metric name, for the error.
 * @throws Refusal `invalid` if a version is given without a name.
 */
export const requireMetricOfVersion = (
  parameter: string,
  name: string | undefined,
  version: number | undefined,
): void => {
  if (version !== undefined && name === undefined)
    throw invalid(["query", parameter], "Field required: metric_version needs the name of its metric", "missing");
};

/** Query parameter of figures that counts the scores of one source. */
export const figureSource = v.optional(
  singleValue(
    v.pipe(
      oneOf(scoreSources),
      v.description(
        "Counts the scores of one source, such as AUTOMATED for those of the judge where people have scored the same traces.",
      ),
    ),
  ),
);

/** Query parameters of the range of creation times of scores. */
export const creationRange = {
  date_from: v.optional(
    singleValue(v.pipe(instant, v.description("Start of the range of creation times, inclusive."))),
  ),
  date_to: v.optional(singleValue(v.pipe(instant, v.description("End of the range of creation times, exclusive.")))),
};

const valueRangeDescription =
  "Bound of the value, inclusive; only applicable scores with a number match: true is 1, false 0.";

const sharedQuery = {
  name: v.optional(singleValue(v.pipe(text(1024), v.description("Name of the metric, exact match.")))),
  source: v.optional(singleValue(oneOf(scoreSources))),
  status: v.optional(singleValue(oneOf(scoreStatuses))),
  eval_run_id: v.optional(singleValue(uuid)),
  judge: v.optional(singleValue(judgeVersion)),
  model: v.optional(
    singleValue(v.pipe(text(255), v.description("Model of the judge, with or without its provider, exact match."))),
  ),
  min_value: v.optional(singleValue(v.pipe(numberText, v.description(valueRangeDescription)))),
  max_value: v.optional(singleValue(v.pipe(numberText, v.description(valueRangeDescription)))),
  success: v.optional(
    singleValue(
      v.pipe(
        booleanText,
        v.description("Value of `success` in the metadata: true if the score reaches the threshold of its metric."),
      ),
    ),
  ),
  metric_version: v.optional(singleValue(metricVersion)),
  stale: v.optional(
    singleValue(
      v.pipe(
        booleanText,
        v.description("True if the target has changed since it was judged; costs half a read unit per score."),
      ),
    ),
  ),
  applicable: v.optional(
    singleValue(
      v.pipe(
        booleanText,
        v.description("True if the metric is applicable; scores without this information do not match."),
      ),
    ),
  ),
  ...creationRange,
};

/** Query parameter of each filter of trace scores. */
export const traceScoreParameters = {
  ...sharedParameters,
  target_id: "trace_id",
  span_id: "span_id",
  data_type: "data_type",
  environment: "environment",
} as const satisfies Record<keyof ScoreFilters, string>;

/** Schemas of the filters of trace scores in queries. */
export const traceScoreQuery = {
  trace_id: v.optional(
    singleValue(
      v.pipe(
        externalId,
        v.description("Id of the trace, or the text by which a client of another product identifies it."),
      ),
    ),
  ),
  span_id: v.optional(singleValue(v.pipe(uuid, v.description("Id of a span that the scores refer to.")))),
  ...sharedQuery,
  data_type: v.optional(singleValue(oneOf(scoreDataTypes))),
  environment: v.optional(singleValue(text(255))),
} satisfies Record<(typeof traceScoreParameters)[keyof ScoreFilters], v.GenericSchema>;

type SessionScoreFilter = Exclude<keyof ScoreFilters, "data_type" | "environment" | "span_id">;

/** Query parameter of each filter of session scores, which are fewer than those of trace scores. */
export const sessionScoreParameters = {
  ...sharedParameters,
  target_id: "session_id",
} as const satisfies Record<SessionScoreFilter, string>;

/** Schemas of the filters of session scores in queries. */
export const sessionScoreQuery = {
  session_id: v.optional(singleValue(text(255))),
  ...sharedQuery,
} satisfies Record<(typeof sessionScoreParameters)[SessionScoreFilter], v.GenericSchema>;
