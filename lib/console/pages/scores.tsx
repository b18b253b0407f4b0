import { ScoreList } from "../runs/score-list.tsx";
import { scoreQueryIn } from "../runs/score-query.ts";
import { hrefTo, route } from "../route.ts";
import { shortTime } from "../format.ts";

/** Page with the scores behind a bar of the metrics page. */
export const ScoresPage = () => {
  const { query } = route.value;
  const { range = null, by: dimension = null, date_from: from, date_to: to } = query;
  const filters = scoreQueryIn(query);
  return (
    <main class="runs">
      <p>
        <a href={hrefTo("metrics", null, { range, by: dimension })}>← Metrics</a>
      </p>
      <h1 dir="auto">{(filters.name ?? "Scores").replaceAll("_", " ")}</h1>
      <p class="facts">
        {filters.status === "FAILED" && <span class="bad">✕ failed</span>}
        {filters.metric_version !== undefined && <span>version {filters.metric_version}</span>}
        {filters.min_value !== undefined && <span>at least {filters.min_value}</span>}
        {filters.max_value !== undefined && <span>at most {filters.max_value}</span>}
        {from !== undefined && <span>judged from {shortTime(from)}</span>}
        {to !== undefined && <span>until {shortTime(to)}</span>}
        {query["of"] !== "sessions" && <a href={hrefTo("review", null, query)}>Review them</a>}
      </p>
      <ScoreList filters={filters} targetKind={query["of"] === "sessions" ? "sessions" : "traces"} />
    </main>
  );
};
