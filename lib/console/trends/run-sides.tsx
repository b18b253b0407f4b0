import type { EvalRun } from "../../client/interface.ts";
import { count, plural, shortTime } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { DataTable } from "../parts/wide-table.tsx";
import { updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";
import { compareRuns } from "./run-comparison.ts";

/** Max runs that are offered, the newest ones, and max scores of a run that are read. */
const [maxRuns, maxScores] = [100, 5_000];

const titleOf = ({ name, metric_names: metrics, resolved_model: model, created_at: at }: EvalRun): string =>
  `${name ?? metrics.join(", ").replaceAll("_", " ")}, ${model}, ${shortTime(at)}`;

type Metric = ReturnType<typeof compareRuns>[number];

const sentenceOf = ({ name, pairs: { count: pairs, higher, lower } }: Metric): string => {
  const [metric, traces] = [name.replaceAll("_", " "), plural(pairs, "trace")];
  if (higher + lower === 0) return `${metric} is the same for ${traces}`;
  return `${metric} is higher for ${count(higher)} and lower for ${count(lower)} of ${traces}`;
};

const textOf = ({ mean, count: traces }: Metric["baseline"]): string => `${mean?.toFixed(2) ?? "–"} (${count(traces)})`;

/** Two runs of traces and their scores beside each other; without a baseline the run before the candidate, or the newest two. */
export const RunSides = (chosen: { readonly baseline: string; readonly candidate: string }) => {
  const { baseline, candidate } = chosen;
  const isComplete = baseline !== "" && candidate !== "";
  const runs = useLoad(
    async (signal) => {
      const { items } = await client.value.listTraceRuns({ query: { limit: maxRuns } }, { signal });
      const at = candidate === "" ? 0 : items.findIndex(({ id }) => id === candidate);
      const [after, before] = at === -1 ? [] : items.slice(at, at + 2);
      if (!isComplete && after && before && !signal.aborted) updateQuery({ baseline: before.id, candidate: after.id });
      return items;
    },
    [isComplete],
  );
  const { value, error, reload } = useLoad(
    async (signal) => {
      const read = (run_id: string) =>
        collect(client.value.each.listTraceRunScores({ path: { run_id } }, { signal }), maxScores);
      return isComplete ? await Promise.all([read(baseline), read(candidate)]) : null;
    },
    [isComplete, baseline, candidate],
  );
  const metrics = value === null ? [] : compareRuns(...value);
  const common = metrics.filter(({ pairs }) => pairs.count > 0);
  return (
    <>
      <div class="filters">
        {(["baseline", "candidate"] as const).map((side) => (
          <label key={side}>
            {side === "baseline" ? "Baseline" : "Candidate"}{" "}
            <select value={chosen[side]} onChange={({ currentTarget }) => updateQuery({ [side]: currentTarget.value })}>
              {runs.value?.some(({ id }) => id === chosen[side]) !== true && (
                <option value={chosen[side]}>{chosen[side] || "none"}</option>
              )}
              {runs.value?.map((run) => (
                <option key={run.id} value={run.id}>
                  {titleOf(run)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <ErrorAlert {...runs} />
      <ErrorAlert error={error} reload={reload} />
      {isComplete && value === null && error === null && <LoadingNote>Reading the scores of both runs</LoadingNote>}
      {!isComplete && runs.value !== null && <p>Choose two runs of traces.</p>}
      {value !== null && (
        <>
          <p class="answer" role="status" dir="auto">
            {common.length === 0
              ? "The runs have judged no trace in common."
              : `The candidate's ${common.map(sentenceOf).join("; ")}.`}
          </p>
          <DataTable
            label="Scores of both runs"
            rows={metrics}
            columns={[
              ["metric", ({ name }) => <span dir="auto">{name.replaceAll("_", " ")}</span>],
              ["baseline, mean (traces)", (metric) => textOf(metric.baseline)],
              ["candidate, mean (traces)", (metric) => textOf(metric.candidate)],
              ["mean difference (in both)", ({ pairs }) => textOf(pairs)],
              ["higher", ({ pairs }) => count(pairs.higher)],
              ["lower", ({ pairs }) => <span class={pairs.lower > 0 ? "bad" : ""}>{count(pairs.lower)}</span>],
            ]}
          />
          <p class="faint">
            {value.some(({ length }) => length === maxScores) &&
              `The first ${count(maxScores)} scores of a run are read. `}
            Corrections of people count. There is no verdict: scores do not say which traces share a session, on which
            chance depends, and failures, cost and latency belong to traces, not to runs.
          </p>
        </>
      )}
    </>
  );
};
