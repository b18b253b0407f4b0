import type { Asked } from "../question/ask.ts";
import { clip } from "../transcript/clip.ts";
import type { JudgedMetric, Material, Metric, NoScore, Scored } from "../metric.ts";
import { failureMetadata, scoreMetadata, type Circumstances } from "./score-metadata.ts";
import type { FailureCode, Verdict } from "./verdict.ts";

/** Longer reasons are cut. */
const reasonLength = 4000;

const passing: ReadonlySet<FailureCode> = new Set(["judge_rate_limited", "judge_unavailable"]);

/** The verdict of a pair that got no answer: it comes back when the provider is away, else it is final. */
export const withoutScore = (
  code: FailureCode,
  reason: string,
  retryAfter: number | null,
  circumstances: Circumstances,
): Verdict => {
  const metadata = failureMetadata(code, circumstances);
  return passing.has(code)
    ? { kind: "deferred", code, reason, retryAfter, metadata }
    : { kind: "failed", code, reason, metadata };
};

/** The verdict that an outcome becomes. */
export const outcomeVerdict = (
  { threshold }: Pick<Metric, "threshold">,
  outcome: Scored | NoScore,
  circumstances: Circumstances,
): Verdict => {
  const { value, reason, details } = outcome;
  if (value === null) return withoutScore(outcome.code, reason, null, circumstances);
  if (!(value >= 0 && value <= 1)) {
    return withoutScore("judge_out_of_range", "The judge's verdict is not on the scale.", null, circumstances);
  }
  const rounded = Math.round(value * 10_000) / 10_000;
  const text = clip(reason.trim(), reasonLength);
  const metadata = scoreMetadata(circumstances, details, threshold, rounded);
  return { kind: "scored", value: rounded, reason: text === "" ? null : text, metadata };
};

/** The verdict that follows from the answer to a metric's question. */
export const metricVerdict = (
  metric: JudgedMetric,
  asked: Asked<unknown>,
  material: Material,
  circumstances: Circumstances,
): Verdict =>
  asked.kind === "failed"
    ? withoutScore(asked.code, asked.message, asked.retryAfter, circumstances)
    : outcomeVerdict(metric, metric.score(asked.answer, material), circumstances);
