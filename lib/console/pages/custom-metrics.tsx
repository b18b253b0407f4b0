import { collect } from "../use-paged-list.ts";
import { useShortcuts } from "../shortcuts.ts";
import { useLoad } from "../use-load.ts";
import { customMetricHref } from "../custom/metric-links.ts";
import { LocalTime } from "../parts/labels.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { ListActions } from "../parts/list-actions.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { navigate, hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { plural } from "../format.ts";

/** Page with the project's custom metrics. */
export const CustomMetricsPage = () => {
  const { value, error, reload } = useLoad((signal) => collect(client.value.each.listOwnMetrics({}, { signal })), []);
  useShortcuts({ n: [() => navigate(hrefTo("new-metric")), "new metric", true] });
  return (
    <main>
      <h1 class="unseen">Custom metrics</h1>
      <ListActions count={value !== null && <b>{plural(value.length, "custom metric")}</b>}>
        <a class="button main writes" href={hrefTo("new-metric")}>
          New metric
        </a>
        <a href={hrefTo("metric-gallery")}>From the gallery</a>
        <a class="writes" href={hrefTo("metric-import")}>
          Import
        </a>
        <a href={hrefTo("metrics")}>Trends of all metrics</a>
      </ListActions>
      <ErrorAlert error={error} reload={reload} />
      {value === null && error === null && <LoadingNote>Loading the metrics</LoadingNote>}
      {value?.length === 0 && (
        <div class="empty">
          <p>No custom metrics yet: yes/no questions about a trace for a judge, or conditions that need none.</p>
          <a class="button" href={hrefTo("metric-gallery")}>
            Start from the gallery
          </a>
        </div>
      )}
      {(value ?? []).map((metric) => (
        <article class="verdict" key={metric.id}>
          <header>
            <h2>
              <a href={customMetricHref(metric.name)}>{metric.name}</a>
            </h2>
            <span class="faint">
              {metric.deleted_at === null ? `version ${metric.version}` : "deleted: new runs cannot use it"}
            </span>
          </header>
          <p dir="auto">{metric.description}</p>
          <p class="facts">
            <span class="tag">{metric.kind}</span>
            <span>of {metric.target_type === "TRACE" ? "traces" : "sessions"}</span>
            <span>
              changed <LocalTime at={metric.updated_at} />
            </span>
          </p>
        </article>
      ))}
    </main>
  );
};
