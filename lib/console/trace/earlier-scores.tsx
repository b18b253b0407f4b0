import type { TraceScore } from "../../client/interface.ts";
import { Instant } from "../parts/labels.tsx";
import { hrefTo } from "../route.ts";
import { plural } from "../format.ts";

/** Collapsible list of a metric's earlier scores of the same trace. */
export const EarlierScores = ({ scores }: { readonly scores: readonly TraceScore[] }) => {
  if (scores.length === 0) return null;
  return (
    <details>
      <summary class="faint">{plural(scores.length, "earlier score")}</summary>
      <ul class="quotes">
        {scores.map(({ id, value, status, judge, source, eval_run_id: run, created_at: at }) => (
          <li key={id}>
            <b dir="auto">{status === "FAILED" ? "no score" : (value ?? "…")}</b>{" "}
            <span class="faint">
              <span dir="auto">{judge?.model ?? source.toLowerCase()}</span> <Instant at={at} />{" "}
            </span>
            {run !== null && <a href={hrefTo("runs", run)}>run</a>}
          </li>
        ))}
      </ul>
    </details>
  );
};
