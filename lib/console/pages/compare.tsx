import type { CompareTraceScoresQuery, ScoreComparison } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import { Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { lazyPart } from "../parts/lazy.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { ComparisonView } from "../trends/comparison.tsx";
import { SideFields } from "../trends/side-fields.tsx";
import { fieldOfSides } from "../trends/sides.ts";
import { VerdictTable } from "../trends/verdict-table.tsx";
import { useLoad } from "../use-load.ts";

/** Metrics that are compared at the same time. */
const parallel = 10;

/** Returns the fact whose values the sides are: that of the address, or what both sides tell; filters if they differ. */
const fieldOf = ({ by, baseline = "", candidate = "" }: Readonly<Record<string, string>>): string => {
  if (by !== undefined) return by;
  if (baseline === "" && candidate === "") return "release";
  return fieldOfSides(baseline, candidate) ?? "filters";
};

const RunSides = lazyPart(async () => (await import("../trends/run-sides.tsx")).RunSides);

/** Page that compares the scores, failures, cost and latency of two sets of traces, such as two releases, or the scores of two runs. */
export const ComparePage = () => {
  const { query } = route.value;
  if (query["by"] !== "run") return <TracesComparison />;
  const { baseline = "", candidate = "" } = query;
  return (
    <main class="runs">
      <p>
        <a href={hrefTo("runs")}>← Runs</a>
      </p>
      <h1>Compare</h1>
      <div class="filters">
        <SideFields by="run" baseline={baseline} candidate={candidate} from={undefined} />
      </div>
      <RunSides baseline={baseline} candidate={candidate} />
    </main>
  );
};

const TracesComparison = () => {
  const { query } = route.value;
  const { metric = "", baseline = "", candidate = "", from } = query;
  const isComplete = baseline !== "" && candidate !== "";
  // Traces and their scores of one window: by the scores' own times the table would count other traces.
  const since = from === undefined ? {} : { started_after: from };
  const metrics = useLoad(
    async (signal) => {
      const summaries = await client.value.getTraceScoreSummary({ query: since }, { signal });
      return [...new Set(summaries.map(({ metric_name: name }) => name))];
    },
    [from],
  );
  const names = metric === "" ? (metrics.value ?? undefined) : [metric];
  const { value, error, reload, isLoading } = useLoad(
    async (signal) => {
      if (!isComplete || names === undefined) return null;
      const sides: Omit<CompareTraceScoresQuery, "metric_name"> = { baseline, candidate, corrected: true, ...since };
      const comparisons: ScoreComparison[] = [];
      for (let at = 0; at < names.length; at += parallel)
        comparisons.push(
          ...(await Promise.all(
            names
              .slice(at, at + parallel)
              .map((name) => client.value.compareTraceScores({ query: { ...sides, metric_name: name } }, { signal })),
          )),
        );
      return comparisons;
    },
    [JSON.stringify(names), baseline, candidate, from],
  );
  const [first] = value ?? [];
  const all = Object.fromEntries([metric, ...(metrics.value ?? [])].map((name) => [name, name.replaceAll("_", " ")]));
  return (
    <main class="runs">
      <p>
        <a href={hrefTo("metrics")}>← Metrics</a>
      </p>
      <h1>Compare</h1>
      <div class="filters">
        <label>
          Metric{" "}
          <Select
            value={metric}
            options={{ ...all, "": "all metrics" }}
            onSelect={(name) => updateQuery({ metric: name })}
          />
        </label>
        <SideFields by={fieldOf(query)} baseline={baseline} candidate={candidate} from={from} />
        {isComplete && (
          <a href={hrefTo("compare", null, { ...query, baseline: candidate, candidate: baseline })}>Swap sides</a>
        )}
      </div>
      <p class="faint">
        {from === undefined ? "All traces" : `Traces that started since ${from.slice(0, 10)}`}, and their scores. Two
        experiments are compared on the page of one of them, item by item.
      </p>
      <ErrorAlert {...metrics} />
      <ErrorAlert error={error} reload={reload} />
      {isComplete && isLoading && value === null && <LoadingNote>Comparing all scores</LoadingNote>}
      {value?.length === 0 && <p>No scores in this window: evaluate traces of both sides first.</p>}
      {metric === "" && value !== null && <VerdictTable comparisons={value} />}
      {metric !== "" && first !== undefined && (
        <ComparisonView comparison={first} baseline={baseline} candidate={candidate} />
      )}
    </main>
  );
};
