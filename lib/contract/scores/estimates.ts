import * as v from "valibot";
import { correctionReasons } from "../../domain/labels/corrected-rate.ts";
import { estimateMethods } from "../../domain/statistics/estimate.ts";
import { booleanParameter } from "../list-query.ts";
import { integer, oneOf, uuid } from "../schema/fields.ts";

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

/** Query parameter that adds corrected rates to pass rates. */
export const correctedParameter = v.optional(
  v.pipe(
    booleanParameter,
    v.description("True to give each pass rate of judges also without their errors, by the labels of people."),
  ),
  ["false"],
);

/** Schema of a pass rate without the judge's errors in replies. */
export const corrected = v.pipe(
  v.object({
    judge_rate: v.pipe(
      v.nullable(v.number()),
      v.description(
        "Share of passing verdicts that is corrected. Scores of people and programs are not in it, nor verdicts that such a score outranks.",
      ),
    ),
    rate: v.nullable(v.number()),
    lower: v.nullable(v.number()),
    upper: v.nullable(v.number()),
    n_labels: v.pipe(integer, v.description("Number of labelled items with a verdict of the judge.")),
    label_set_id: v.pipe(
      v.nullable(uuid),
      v.description(
        "Label set that the rate is corrected by: the largest random one with a trust result about the judge.",
      ),
    ),
    reason: v.pipe(
      v.nullable(oneOf(correctionReasons)),
      v.description(
        "Why there is no corrected rate. `several_judges`: name one by `judge`; `too_few`: too few labels, or verdicts that pass or fail; " +
          "`labels_contradict`: no rate explains the verdicts beside the labels, which are perhaps about other traces.",
      ),
    ),
  }),
  v.title("CorrectedRate"),
  v.description(
    "Pass rate without the errors of the judge, with its 95 % interval, by the labels that a trust result of a label set has recorded for all " +
      "judges whose verdicts are counted; or the reason why there is none, and nulls: `no_labels` for these judges, `labels_not_random`, " +
      "`not_better_than_chance` (by a one-sided test of 90 %), or `too_few`: labels of a kind (five) or verdicts (ten). It holds as far as the judge errs " +
      "here as often as in the labelled traces. No verdict of a comparison or gate rests on it.",
  ),
);
