import type { RunEstimate } from "../../client/interface.ts";
import { count, dollars, plural } from "../words.ts";

/** What a run would come to, in a sentence; what its ceiling means for it. */
export const Estimate = ({
  of,
  word,
  isLoading,
  ceiling,
  hasMetric,
}: {
  readonly of: RunEstimate | null;
  /** What its targets are called: `trace`. */
  readonly word: string;
  readonly isLoading: boolean;
  readonly ceiling: number | null;
  readonly hasMetric: boolean;
}) => {
  const price = (cost: number | null): string =>
    cost === null ? "at a price that is not known" : `about ${dollars(cost)}`;
  const least = of?.least_usd ?? null;
  return (
    <span aria-live="polite" class="estimate">
      {!hasMetric && "Choose a metric."}
      {hasMetric && isLoading && "Reckoning …"}
      {hasMetric && !isLoading && of !== null && (
        <>
          {plural(of.targets, word)}, {plural(of.judge_calls, "call")} of the judge, <b>{price(of.cost_usd)}</b>{" "}
          <span class="faint">({count(of.prompt_tokens + of.completion_tokens)} tokens)</span>
          {ceiling !== null && least !== null && ceiling < least && (
            <span class="bad"> · below {dollars(least)} no judgement can begin</span>
          )}
        </>
      )}
    </span>
  );
};
