import { useLoad } from "../use-load.ts";
import { getGroups, getSummaries } from "../trends/score-queries.ts";
import { dimensions, isDimension } from "../trends/groups.ts";
import { rangeStart, parseRange, ranges } from "../trends/ranges.ts";
import { MetricCard } from "../trends/metric-card.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";

/** Page with score trends by metric. */
export const MetricsPage = () => {
  const { query } = route.value;
  const range = parseRange(query["range"]);
  const targetKind = query["of"] === "sessions" ? "sessions" : "traces";
  const { by } = query;
  const dimension = targetKind === "traces" && isDimension(by) ? by : null;
  const startMs = rangeStart(range, Date.now());
  const from = new Date(startMs).toISOString();
  const { value, error, reload } = useLoad(
    (signal) => getSummaries(targetKind, from, signal),
    [targetKind, from],
    30_000,
  );
  const groups = useLoad(
    async (signal) => (dimension === null ? null : await getGroups(from, dimension, signal)),
    [dimension, from],
  );
  return (
    <main>
      <h1 class="unseen">Metrics</h1>
      <div class="filters">
        <div class="switch" role="group" aria-label="Range">
          {(["days", "weeks", "quarter"] as const).map((each) => (
            <button type="button" aria-pressed={range === ranges[each]} onClick={() => updateQuery({ range: each })}>
              {ranges[each].title}
            </button>
          ))}
        </div>
        <div class="switch" role="group" aria-label="Scores">
          {(["traces", "sessions"] as const).map((each) => (
            <button type="button" aria-pressed={targetKind === each} onClick={() => updateQuery({ of: each })}>
              Of {each}
            </button>
          ))}
        </div>
        {targetKind === "traces" && (
          <label>
            Compare by{" "}
            <select value={dimension ?? ""} onChange={({ currentTarget }) => updateQuery({ by: currentTarget.value })}>
              <option value="">nothing</option>
              {Object.entries(dimensions).map(([each, { title }]) => (
                <option value={each}>{title}</option>
              ))}
            </select>
          </label>
        )}
        <a href={hrefTo("own-metrics")}>Custom metrics</a>
        {dimension !== null && groups.value !== null && (
          <span class="faint" role="status">
            the newest score of each trace
          </span>
        )}
      </div>
      <ErrorAlert error={error} reload={reload} />
      <ErrorAlert {...groups} />
      {value === null && error === null && <LoadingNote>Loading scores</LoadingNote>}
      {value?.length === 0 && (
        <div class="empty">
          <p>No scores in this time range.</p>
          <p>
            Select <a href={hrefTo("traces")}>traces</a> and choose Evaluate.
          </p>
        </div>
      )}
      <div class="multiples">
        {(value ?? []).map((summary) => (
          <MetricCard
            key={`${targetKind} ${summary.metric_name}`}
            summary={summary}
            range={range}
            startMs={startMs}
            targetKind={targetKind}
            dimension={dimension}
            groups={groups.value?.filter((group) => group.metric_name === summary.metric_name) ?? null}
          />
        ))}
      </div>
    </main>
  );
};
