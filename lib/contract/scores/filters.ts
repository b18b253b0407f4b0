import * as v from "valibot";
import { invalid } from "../../domain/refusal.ts";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../../domain/scores/score.ts";
import { instant, once, oneOf, text, uuid } from "../fields.ts";
import { inJson } from "../json-schema.ts";
import { booleanWord, numberWord } from "../list-query.ts";

/** The query parameter that sets each filter, whichever target the scores have. */
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

/** A judge, by the version in its identity. */
export const judgeVersion = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{12}$/u, "Input should be 12 hexadecimal digits"),
  v.description("The `version` of a score's judge: scores of one version and model were asked alike."),
);

/** A version of a metric of the project's own. */
export const metricVersion = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,5}$/u, "Input should be a version: a whole number from 1"),
  v.transform(Number),
  inJson({ type: "integer", minimum: 1, maximum: 999_999 }),
  v.description("A version of a metric of one's own, as the scores' metadata say it; the metric's name goes with it."),
);

/** @throws Refusal `invalid` when a version is asked for of no metric. @param parameter that says the metric's name. */
export const checkVersionOf = (parameter: string, name: string | undefined, version: number | undefined): void => {
  if (version !== undefined && name === undefined)
    throw invalid(["query", parameter], "Field required: metric_version is of one metric", "missing");
};

const range = "Of NUMERIC scores that apply, inclusive.";

const sharedQuery = {
  name: v.optional(once(v.pipe(text(1024), v.description("The metric's name, exactly.")))),
  source: v.optional(once(oneOf(scoreSources))),
  status: v.optional(once(oneOf(scoreStatuses))),
  eval_run_id: v.optional(once(uuid)),
  judge: v.optional(once(judgeVersion)),
  model: v.optional(
    once(v.pipe(text(255), v.description("The judge's model, `<provider>/<model>` or without the provider, exactly."))),
  ),
  min_value: v.optional(once(v.pipe(numberWord, v.description(range)))),
  max_value: v.optional(once(v.pipe(numberWord, v.description(range)))),
  success: v.optional(
    once(
      v.pipe(booleanWord, v.description("What its metadata say: whether the value reaches the metric's threshold.")),
    ),
  ),
  metric_version: v.optional(once(metricVersion)),
  stale: v.optional(
    once(
      v.pipe(booleanWord, v.description("Whether what was judged has changed since: half a read unit for each score.")),
    ),
  ),
  applicable: v.optional(once(v.pipe(booleanWord, v.description("Whether its metric applies; where it is known.")))),
  date_from: v.optional(once(v.pipe(instant, v.description("Created then or later.")))),
  date_to: v.optional(once(v.pipe(instant, v.description("Created before then.")))),
};

/** The query parameter that sets each filter of traces' scores. */
export const traceScoreParameters = {
  ...sharedParameters,
  target_id: "trace_id",
  span_id: "span_id",
  data_type: "data_type",
  environment: "environment",
} as const satisfies Record<keyof ScoreFilters, string>;

/** Every filter of traces' scores, as queries have it. */
export const traceScoreQuery = {
  trace_id: v.optional(once(uuid)),
  span_id: v.optional(once(v.pipe(uuid, v.description("Scores of this span.")))),
  ...sharedQuery,
  data_type: v.optional(once(oneOf(scoreDataTypes))),
  environment: v.optional(once(text(255))),
} satisfies Record<(typeof traceScoreParameters)[keyof ScoreFilters], v.GenericSchema>;

type SessionScoreFilter = Exclude<keyof ScoreFilters, "data_type" | "environment" | "span_id">;

/** The query parameter that sets each filter of sessions' scores: the interface has fewer of them. */
export const sessionScoreParameters = {
  ...sharedParameters,
  target_id: "session_id",
} as const satisfies Record<SessionScoreFilter, string>;

/** Every filter of sessions' scores, as queries have it. */
export const sessionScoreQuery = {
  session_id: v.optional(once(text(255))),
  ...sharedQuery,
} satisfies Record<(typeof sessionScoreParameters)[SessionScoreFilter], v.GenericSchema>;
