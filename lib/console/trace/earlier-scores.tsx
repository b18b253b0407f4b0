import type { TraceScore } from "../../client/interface.ts";
import { LocalTime, MetricVersionLink } from "../parts/labels.tsx";
import { hrefTo } from "../route.ts";
import { plural } from "../format.ts";

/** Collapsible list of a metric's earlier scores of the same trace. */
export const EarlierScores = ({ scores }: { readonly scores: readonly TraceScore[] }) => {
  if (scores.length === 0) return null;
  return (
    <details>
      <summary class="faint">{plural(scores.length, "earlier score")}</summary>
      <ul class="quotes">
        {scores.map((score) => (
          <li key={score.id}>
            <b dir="auto">{score.status === "FAILED" ? "no score" : (score.value ?? "…")}</b>{" "}
            <span class="faint">
              {score.applicable === false && "n/a "}
              <span dir="auto">{score.judge?.model ?? score.source.toLowerCase()}</span>{" "}
              <LocalTime at={score.created_at} />
            </span>{" "}
            <MetricVersionLink score={score} />{" "}
            {score.eval_run_id !== null && <a href={hrefTo("runs", score.eval_run_id)}>run</a>}
          </li>
        ))}
      </ul>
    </details>
  );
};
