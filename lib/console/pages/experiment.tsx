import type { ExperimentSummary } from "../../client/interface.ts";
import { columnsOfItems } from "../experiments/item-columns.tsx";
import { itemRows, loadExperiment, maxListed } from "../experiments/rows.ts";
import { Verdicts } from "../experiments/verdicts.tsx";
import { dollars, duration, plural, shortTime } from "../format.ts";
import { Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { DataTable } from "../parts/wide-table.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";

const factsOf = (experiment: ExperimentSummary): readonly string[] => [
  `started ${shortTime(experiment.started_at)}`,
  `dataset ${experiment.dataset ?? "not named"}`,
  `${plural(experiment.item_count, "item")}, ${experiment.missing_count} missing`,
  `${plural(experiment.error_count, "failed trace")}, ${experiment.running_count} running`,
  dollars(experiment.total_cost),
  `latency ${duration(experiment.latency_p50_ms)}, p95 ${duration(experiment.latency_p95_ms)}`,
];

/** Page of an experiment: its items by metric and, beside a baseline, the verdicts and the differences. */
export const ExperimentPage = ({ id }: { readonly id: string }) => {
  const { baseline = "", metric: typedMetric } = route.value.query;
  const loaded = useLoad(
    async (signal) => {
      const ids = baseline === "" ? [id] : [id, baseline];
      const sides = await Promise.all(ids.map((each) => loadExperiment(each, signal)));
      const traces = sides.flatMap(({ items }) => items.flatMap((item) => item.traces));
      const metrics = [...new Set(traces.flatMap(({ scores }) => scores.map(({ name }) => name)))].toSorted();
      const input = { path: { experiment_id: id }, query: { baseline, corrected: true } };
      const verdicts = baseline === "" ? undefined : await client.value.compareExperiments(input, { signal });
      return { sides, metrics, verdicts };
    },
    [id, baseline],
  );
  const all = useLoad(
    (signal) => collect(client.value.each.listExperiments({ query: { limit: 200 } }, { signal }), maxListed),
    [],
  );
  const { sides: [candidate, other] = [], metrics = [], verdicts } = loaded.value ?? {};
  const metric =
    typedMetric ?? verdicts?.metrics.find(({ verdict }) => verdict === "worse")?.metric_name ?? metrics[0] ?? "";
  const rows = candidate && itemRows(candidate, other, metric);
  const others = (all.value ?? []).filter((each) => each.id !== id);
  const titles = others.map((each) => [each.id, `${each.name}, ${shortTime(each.started_at)}`]);
  const baselines: Readonly<Record<string, string>> = { "": "no baseline", ...Object.fromEntries(titles) };
  const metricNames: Readonly<Record<string, string>> = Object.fromEntries(
    metrics.map((name) => [name, name.replaceAll("_", " ")]),
  );
  const selectBaseline = (next: string): void => updateQuery({ baseline: next, metric: null });
  const selectMetric = (next: string): void => updateQuery({ metric: next });
  return (
    <main>
      <a href={hrefTo("datasets")}>← Datasets and experiments</a>
      <h1 dir="auto">{candidate?.experiment.name ?? "Experiment"}</h1>
      {candidate !== undefined && (
        <p class="facts">
          {factsOf(candidate.experiment).map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
          <a href={hrefTo("traces", null, { experiment: candidate.experiment.name })}>all traces</a>
        </p>
      )}
      <div class="filters">
        <label>
          Compare with <Select value={baseline} options={baselines} onSelect={selectBaseline} />
        </label>
        <label>
          Worst first by <Select value={metric} options={metricNames} onSelect={selectMetric} />
        </label>
      </div>
      <ErrorAlert {...loaded} />
      <ErrorAlert {...all} />
      {loaded.value === null && loaded.error === null && <LoadingNote>Reading all items</LoadingNote>}
      {verdicts !== undefined && <Verdicts {...verdicts} />}
      {loaded.value !== null && metrics.length === 0 && (
        <p class="empty">No scores yet: open all traces and choose Evaluate all, or send scores of your own.</p>
      )}
      {candidate?.items.length === maxListed && <p class="faint">The first {maxListed} items; verdicts count all.</p>}
      <DataTable label="Items" rows={rows} columns={columnsOfItems(metrics, other !== undefined)} />
    </main>
  );
};
