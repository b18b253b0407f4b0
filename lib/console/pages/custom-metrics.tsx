import { collected } from "../collected.ts";
import { useKeys } from "../keys.ts";
import { useLoad } from "../load.ts";
import { hrefOfMetric } from "../custom/places.ts";
import { Instant } from "../parts/instant.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { goTo, hrefTo } from "../place.ts";
import { client } from "../sign-in.ts";
import { plural } from "../words.ts";

/** Which metrics of its own has the project, and what do they say? */
export const CustomMetricsPage = () => {
  const { value, error, again } = useLoad((signal) => collected(client.value.each.listOwnMetrics({}, { signal })), []);
  useKeys({ n: [() => goTo(hrefTo("new-metric")), "new metric", true] });
  return (
    <main>
      <h1 class="unseen">Own metrics</h1>
      <div class="said">
        {value !== null && <b>{plural(value.length, "own metric")}</b>}
        <a class="button main writes" href={hrefTo("new-metric")}>
          New metric
        </a>
        <a href={hrefTo("metric-gallery")}>From the gallery</a>
        <a class="writes" href={hrefTo("metric-import")}>
          Import
        </a>
        <a href={hrefTo("metrics")}>Trends of all metrics</a>
        <span class="faint keys writes">
          <kbd>n</kbd> new
        </span>
      </div>
      <Trouble error={error} again={again} />
      {value === null && error === null && <Waiting>Loading the metrics</Waiting>}
      {value?.length === 0 && (
        <div class="empty">
          <p>
            The project has no metric of its own. A metric is a few questions about a trace that a judge answers with
            yes or no, or conditions that cost nothing.{" "}
            <a href={hrefTo("metric-gallery")}>Begin with one of the gallery</a>.
          </p>
        </div>
      )}
      {(value ?? []).map((metric) => (
        <article class="verdict" key={metric.id}>
          <header>
            <h2>
              <a href={hrefOfMetric(metric.name)}>{metric.name}</a>
            </h2>
            <span class="faint">
              {metric.deleted_at === null ? `version ${metric.version}` : "deleted: no new run may ask for it"}
            </span>
          </header>
          <p dir="auto">{metric.description}</p>
          <p class="facts">
            <span class="tag">{metric.kind}</span>
            <span>of {metric.target_type === "TRACE" ? "traces" : "sessions"}</span>
            <span>
              changed <Instant at={metric.updated_at} />
            </span>
          </p>
        </article>
      ))}
    </main>
  );
};
