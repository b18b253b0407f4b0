import { ScoreList, type ScoreQuery } from "../runs/score-list.tsx";
import { hrefTo, route } from "../route.ts";
import { shortTime } from "../format.ts";

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** Parses the score filters of the URL. */
const filtersOf = (query: Readonly<Record<string, string>>): ScoreQuery => {
  const { name, status, date_from: from, date_to: to, judge } = query;
  const [minValue, maxValue] = [numberIn(query["min_value"]), numberIn(query["max_value"])];
  const version = numberIn(query["metric_version"]);
  return {
    ...(name === undefined ? {} : { name }),
    ...(status === "FAILED" || status === "SUCCESS" ? { status } : {}),
    ...(minValue === undefined ? {} : { min_value: minValue }),
    ...(maxValue === undefined ? {} : { max_value: maxValue }),
    ...(from === undefined ? {} : { date_from: from }),
    ...(to === undefined ? {} : { date_to: to }),
    ...(judge === undefined ? {} : { judge }),
    ...(version === undefined ? {} : { metric_version: version }),
  };
};

/** Page with the scores behind a bar of the metrics page. */
export const ScoresPage = () => {
  const { query } = route.value;
  const { range = null, by: dimension = null, date_from: from, date_to: to } = query;
  const filters = filtersOf(query);
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
      </p>
      <ScoreList filters={filters} targetKind={query["of"] === "sessions" ? "sessions" : "traces"} />
    </main>
  );
};
