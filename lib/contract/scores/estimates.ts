import * as v from "valibot";
import { estimateMethods } from "../../domain/statistics/estimate.ts";
import { integer, oneOf } from "../schema/fields.ts";

/** Meaning of the figures of scores that have intervals. */
export const estimatedFigures =
  "`mean` and `median` of the values; `pass_rate`: share of the scores that reach the threshold of their metric, `success` in the metadata, " +
  "or are `true`, among those with either; `applicable_rate`: share of the successful scores whose metric is applicable";

/** Schema of the two ends of an interval in replies; null where there are too few values. */
export const interval = v.pipe(
  v.nullable(v.object({ lower: v.number(), upper: v.number() })),
  v.description(
    "Two-sided 95 % interval, in which values of one session depend on each other; null for fewer than ten values or a single session.",
  ),
);

/** Schema of a figure with its interval in replies. */
export const estimate = v.pipe(
  v.object({
    value: v.pipe(v.nullable(v.number()), v.description("Null without values.")),
    interval,
    count: v.pipe(integer, v.description("Number of values.")),
    clusters: v.pipe(integer, v.description("Number of sessions, and of traces without one.")),
    method: v.pipe(oneOf(estimateMethods), v.description("How the interval was computed.")),
    reason: v.pipe(
      v.nullable(oneOf(["too_few", "no_threshold"])),
      v.description("Why there is no interval; `no_threshold` if the scores neither pass nor fail."),
    ),
  }),
  v.title("FigureEstimate"),
  v.description("A figure with its 95 % interval."),
);

/** Schema of the number of counted scores that no model gave. */
export const rule_based_count = v.pipe(
  integer,
  v.description(
    "Number of successful scores by `offline/rules`, the fixed rules of the local runtime: they understand nothing, and averages with them are for demonstration.",
  ),
);
