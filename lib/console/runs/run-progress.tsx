import type { EvalRun } from "../../client/interface.ts";
import { count, dollars } from "../format.ts";

const share = (part: number, total: number): string => `${total === 0 ? 0 : Math.min(100, (part / total) * 100)}%`;

/** Cost of a run, and its ceiling if it has one. */
const Spend = ({ run, isLarge }: { readonly run: EvalRun; readonly isLarge: boolean }) => {
  const { max_cost_usd: maxCost } = run;
  const spent = run.judge_usage.cost_usd;
  return (
    <span class="figures">
      {isLarge && maxCost !== null && (
        <span class="meter" aria-hidden="true">
          <span class="spent" style={{ width: share(spent ?? 0, maxCost) }} />
        </span>
      )}
      <span class="faint">
        {spent === null ? "cost unknown" : dollars(spent)}
        {maxCost !== null && ` of at most ${dollars(maxCost)}`}
      </span>
    </span>
  );
};

/** Progress of a run: evaluated and failed targets, and its cost. */
export const RunProgress = ({ run, isLarge = false }: { readonly run: EvalRun; readonly isLarge?: boolean }) => {
  const { total_targets: total, evaluated_count: evaluated, failed_count: failed } = run;
  const pairs = total * run.metric_names.length;
  const failedShare = pairs === 0 ? 0 : (failed / pairs) * total;
  return (
    <span class={`progress${isLarge ? " large" : ""}`}>
      <span class="figures">
        <span class="meter" aria-hidden="true">
          <span class="done" style={{ width: share(Math.max(0, evaluated - failedShare), total) }} />
          <span class="failed" style={{ width: share(failedShare, total) }} />
        </span>
        <span>
          {count(evaluated)} of {count(total)}
          {failed > 0 && <span class="bad">, {count(failed)} failed</span>}
        </span>
      </span>
      <Spend run={run} isLarge={isLarge} />
    </span>
  );
};
