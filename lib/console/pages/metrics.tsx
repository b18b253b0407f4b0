import type { ScoreSummary } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { getGroups, getSummaries } from "../trends/score-queries.ts";
import { dimensions, isDimension } from "../trends/groups.ts";
import { Switch, titlesByName } from "../parts/controls.tsx";
import { TimePicker } from "../parts/time-picker.tsx";
import { rangeIn, rollingWindow, trendRanges } from "../parts/time-window.ts";
import { MetricCard } from "../trends/metric-card.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { Skeleton } from "../display/skeleton.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";

/** Page with score trends by metric. */
export const MetricsPage = () => {
  const { query } = route.value;
  const window = rollingWindow(trendRanges[rangeIn(trendRanges, query) ?? "days"], Date.now());
  const { started_after: from } = window;
  const targetKind = query["of"] === "sessions" ? "sessions" : "traces";
  const { by } = query;
  const dimension = targetKind === "traces" && isDimension(by) ? by : null;
  const { value, error, reload } = useLoad(
    (signal) => getSummaries(targetKind, from, signal),
    [targetKind, from],
    30_000,
  );
  const groups = useLoad(
    async (signal) => (dimension === null ? null : await getGroups(from, dimension, signal)),
    [dimension, from],
  );
  const corrections = useLoad(
    async (signal) => {
      const query = { date_from: from, corrected: true };
      return targetKind === "traces" ? await client.value.getTraceScoreSummary({ query }, { signal }) : [];
    },
    [targetKind, from],
  );
  // A card gets its groups and corrections at once: they would move the cards below.
  const isReady = [corrections, groups].every((load) => !load.isLoading || load.value !== null || load.error !== null);
  const correctedOf = ({ metric_name: name }: ScoreSummary) =>
    corrections.value?.find((each) => each.metric_name === name)?.corrected;
  return (
    <main>
      <div class="filters">
        <h1>Metrics</h1>
        <TimePicker label="Range" control={Switch} options={titlesByName(trendRanges)} fallback="days" />
        <Switch
          label="Scores"
          value={targetKind}
          options={{ traces: "Of traces", sessions: "Of sessions" }}
          onSelect={(of) => updateQuery({ of })}
        />
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
      <ErrorAlert {...corrections} />
      {value === null && error === null && <LoadingNote>Loading scores</LoadingNote>}
      {(value === null || !isReady) && error === null && <Skeleton height={600} />}
      {value?.length === 0 && (
        <div class="empty">
          <p>No scores in this time range.</p>
          <a class="button" href={hrefTo("traces")}>
            Evaluate traces
          </a>
        </div>
      )}
      <div class={`multiples${dimension === null ? "" : " grouped"}`}>
        {(isReady ? (value ?? []) : []).map((summary) => (
          <MetricCard
            key={`${targetKind} ${summary.metric_name}`}
            summary={summary}
            corrected={correctedOf(summary)}
            window={window}
            targetKind={targetKind}
            dimension={dimension}
            groups={groups.value?.filter((group) => group.metric_name === summary.metric_name) ?? null}
          />
        ))}
      </div>
    </main>
  );
};
