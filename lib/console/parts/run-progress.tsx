import type { EvalRun } from "../../client/interface.ts";
import { count, dollars } from "../words.ts";

const share = (part: number, whole: number): string => `${whole === 0 ? 0 : (part / whole) * 100}%`;

/** How far a run is, what failed of it, and what it has spent of what it may. */
export const RunProgress = ({ run }: { readonly run: EvalRun }) => {
  const { total_targets: total, evaluated_count: evaluated, failed_count: failed, judge_usage: usage } = run;
  const spent = usage.cost_usd;
  return (
    <span class="progress">
      <span class="meter" aria-hidden="true">
        <span class="done" style={{ width: share(evaluated - failed, total) }} />
        <span class="failed" style={{ width: share(failed, total) }} />
      </span>
      <span>
        {count(evaluated)} of {count(total)}
        {failed > 0 && <span class="bad">, {count(failed)} failed</span>}
      </span>
      <span class="faint">
        {spent === null ? "cost not known" : dollars(spent)}
        {run.max_cost_usd !== null && ` of at most ${dollars(run.max_cost_usd)}`}
      </span>
    </span>
  );
};
