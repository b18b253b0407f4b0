import * as v from "valibot";
import { comparisonMethods, verdicts } from "../../domain/statistics/compare.ts";
import { amountText } from "../list-query.ts";
import { route } from "../route.ts";
import { integer, oneOf, singleValue, text } from "../schema/fields.ts";
import { corrected, correctedParameter, estimate, estimatedFigures, interval, rule_based_count } from "./estimates.ts";
import { creationRange, figureSource, judgeVersion, metricVersion } from "./filters.ts";
import { scoreTraceQuery } from "./trace-filters.ts";

/** Maximum characters of the filters of a side. */
const maxSideLength = 2000;

/** Schema of the text with a side's filters; the handler parses it. */
export const sideText = text(maxSideLength, 1);

const side = (words: string) =>
  singleValue(
    v.pipe(
      sideText,
      v.description(
        `Filters of the traces of the ${words}, as \`<name>:<value>\`; several, separated by commas, must all match. Names are those of the ` +
          "other filters of traces (`release`, `environment`, `trace_name`, `tags`, `metadata.<key>` and so on; not `score` and `no_score`). " +
          "A comma or backslash in a value is written with a backslash before it.",
      ),
    ),
  );

const sideFigures = v.pipe(
  v.object({
    trace_count: v.pipe(integer, v.description("Number of matching traces, with or without a score.")),
    count: v.pipe(
      integer,
      v.description("Number of counted scores of any status, with those whose metric is not applicable."),
    ),
    failed_count: v.pipe(integer, v.description("Number of scores whose judgement failed.")),
    rule_based_count,
    applicable_rate: estimate,
    mean: estimate,
    median: estimate,
    pass_rate: estimate,
    corrected: v.optional(corrected),
    cost: estimate,
    latency_p50_ms: estimate,
    latency_p95_ms: v.pipe(
      v.nullable(v.number()),
      v.description(
        "95th percentile of the latency, in milliseconds, interpolated between the two nearest; null if no trace has ended.",
      ),
    ),
    error_rate: estimate,
  }),
  v.title("ComparedScores"),
  v.description(
    `Scores of one side (${estimatedFigures}) and, of all its matching traces, the mean cost in US dollars, the latency of those that have ` +
      "ended and the share with the status ERROR.",
  ),
);

const verdict = {
  verdict: v.pipe(
    oneOf(verdicts),
    v.description(
      "`worse`: the whole interval is below `-max_drop`; `not_worse`: it is nowhere below it; else `cannot_tell`.",
    ),
  ),
  reason: v.pipe(
    v.nullable(oneOf(["too_few", "too_many_missing", "no_threshold"])),
    v.description(
      "Why there is no verdict: a side has fewer than ten values, in sessions fewer than ten unlike its commonest one, on a scale other than " +
        "0 to 1 only equal ones, or more than 10 % of its scores have failed; of the pass rate also `no_threshold`, if the scores neither pass nor fail. Null with a verdict, and if the interval includes `-max_drop`.",
    ),
  ),
};

const difference = v.pipe(
  v.object({
    difference: v.pipe(v.nullable(v.number()), v.description("Candidate minus baseline.")),
    interval,
    method: v.pipe(oneOf(comparisonMethods), v.description("How the interval was computed.")),
    p_value: v.pipe(v.nullable(v.number()), v.description("Two-sided p value of no difference.")),
    detectable_difference: v.pipe(
      v.nullable(v.number()),
      v.description(
        "Smallest drop that this much data could have shown: for a smaller one the verdict is mostly `cannot_tell`.",
      ),
    ),
    ...verdict,
  }),
  v.title("ScoreDifference"),
);

export const compareTraceScores = route({
  id: "compareTraceScores",
  method: "GET",
  path: "/evaluations/analytics/trace-scores/compare",
  handler: "api/scores/compare-trace-scores",
  summary: "Compare scores of two releases",
  description:
    "Returns the scores of one metric for the traces that match `baseline` and `candidate`, such as two releases, and whether the candidate " +
    "is worse. The newest score of each trace counts (a person's before a judge's about the same content), with `judge` or `metric_version` every score; higher scores are better. The verdict is " +
    "`worse` if pass rate or mean is, and `not_worse` if both are. Traces without a score do not count as missing, since monitors may sample. " +
    "The other filters apply to both sides; `X-Warnings` says which side no trace matches. May lag behind writes by seconds; a request that would read too much is refused.",
  access: "project",
  permission: "read",
  query: v.object({
    metric_name: singleValue(v.pipe(text(1024), v.description("Name of the scores, exact match."))),
    baseline: side("baseline"),
    candidate: side("candidate"),
    max_drop: v.optional(
      singleValue(
        v.pipe(
          amountText,
          v.description("Largest drop of pass rate and mean that does not count as worse, in units of the score."),
        ),
      ),
      ["0.05"],
    ),
    judge: v.optional(singleValue(judgeVersion)),
    source: figureSource,
    metric_version: v.optional(singleValue(metricVersion)),
    corrected: correctedParameter,
    ...creationRange,
    ...scoreTraceQuery,
  }),
  success: 200,
  reply: v.pipe(
    v.object({
      metric_name: v.string(),
      unit: v.pipe(
        oneOf(["trace", "score"]),
        v.description("What is counted: the newest score of each trace, or every score."),
      ),
      baseline: sideFigures,
      candidate: sideFigures,
      pass_rate: difference,
      mean: difference,
      max_drop: v.number(),
      ...verdict,
    }),
    v.title("ScoreComparison"),
  ),
  // Those of the other figures of scores, whose role it shares: an account has room for 1,000 roles.
  grants: {
    rows: ["Query"],
    aggregates: ["Query", "BatchGetItem"],
    scores: ["Query", "BatchGetItem"],
    monitors: ["GetItem"],
  },
  searchesLake: true,
  warns: true,
  memory: 1024,
});
