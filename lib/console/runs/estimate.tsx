import type { RunEstimate } from "../../client/interface.ts";
import { count, dollars, plural } from "../format.ts";

/** Estimated targets, judge calls and cost of a run, with a warning if the ceiling is too low. */
export const Estimate = ({
  estimate,
  targetName,
  isLoading,
  ceiling,
  hasMetric,
}: {
  readonly estimate: RunEstimate | null;
  /** Noun for a target: `trace` or `session`. */
  readonly targetName: string;
  readonly isLoading: boolean;
  /** Max cost in US dollars; null for none, NaN if it is no number. */
  readonly ceiling: number | null;
  readonly hasMetric: boolean;
}) => {
  const price = (cost: number | null): string => (cost === null ? "unknown cost" : `about ${dollars(cost)}`);
  const minimum = estimate?.least_usd ?? null;
  return (
    <span aria-live="polite" class="estimate">
      {!hasMetric && "Select a metric."}
      {hasMetric && isLoading && "Estimating …"}
      {hasMetric && !isLoading && estimate !== null && (
        <>
          {plural(estimate.targets, targetName)}, {plural(estimate.judge_calls, "judge call")},{" "}
          <b>{price(estimate.cost_usd)}</b>
          {estimate.cached_cost_usd !== null && estimate.cached_cost_usd !== estimate.cost_usd && (
            <> ({dollars(estimate.cached_cost_usd)} with the provider's cache)</>
          )}{" "}
          {estimate.escalation !== null && (
            <>, at most {price(estimate.escalation.cost_usd)} of it for the second judge </>
          )}
          <span class="faint">({count(estimate.prompt_tokens + estimate.completion_tokens)} tokens)</span>
          {Number.isNaN(ceiling) && <span class="bad"> · the max cost is not a number</span>}
          {ceiling !== null && minimum !== null && ceiling < minimum && (
            <span class="bad"> · no judgement can start below {dollars(minimum)}</span>
          )}
          {estimate.alternatives.length > 0 && (
            <span class="faint">
              <br />
              Cheaper:{" "}
              {estimate.alternatives
                .map(
                  ({ model, tier, cost_usd, cached_cost_usd }) =>
                    `${model}${tier === "flex" ? " (flex)" : ""} ${dollars(cost_usd)}, ${dollars(cached_cost_usd)} with cache`,
                )
                .join(" · ")}
            </span>
          )}
        </>
      )}
    </span>
  );
};
