import type { ComparedScores } from "../../client/interface.ts";

/** A figure with its 95 % interval. */
export type ScoreEstimate = ComparedScores["mean"];

/** Formats a figure with its 95 % interval: `0.81 (0.75 to 0.86)`, or the figure alone. */
export const estimateText = ({ value, interval }: Pick<ScoreEstimate, "value" | "interval">): string => {
  if (value === null) return "–";
  const figure = value.toFixed(2);
  return interval === null ? figure : `${figure} (${interval.lower.toFixed(2)} to ${interval.upper.toFixed(2)})`;
};

/** Formats a pass rate, with the number of its scores unless all of a mean pass or fail: `1.00 of 3`. */
export const passRateText = ({
  pass_rate: rate,
  mean,
}: Readonly<Partial<Record<"pass_rate" | "mean", ScoreEstimate | undefined>>>): string => {
  if (rate === undefined || rate.value === null || rate.count === mean?.count) return rate ? estimateText(rate) : "–";
  return `${estimateText(rate)} of ${rate.count}`;
};

/** Formats a figure with the ends of its 95 % interval, null if there is none. */
export const boundedText = ({
  value,
  lower,
  upper,
}: Readonly<Record<"value" | "lower" | "upper", number | null>>): string =>
  estimateText({ value, interval: lower === null || upper === null ? null : { lower, upper } });

/** Figure of 0 to 1 as a mark within the bar of its 95 % interval; a dash without values. */
export const IntervalBar = ({ estimate }: { readonly estimate: ScoreEstimate }) => {
  const { value, interval } = estimate;
  if (value === null) return <>–</>;
  const { lower, upper } = interval ?? { lower: value, upper: value };
  const text = interval === null ? `${estimateText(estimate)}, too few for an interval` : estimateText(estimate);
  return (
    <>
      <span class="span-of" title={text}>
        {interval !== null && (
          <span style={{ left: `${lower * 100}%`, width: `${Math.max(1, (upper - lower) * 100)}%` }} />
        )}
        <b style={{ left: `${value * 100}%` }} />
      </span>
      <span class="unseen">{text}</span>
    </>
  );
};
