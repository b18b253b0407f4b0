import { ScoreList, type ScoreFilters } from "../runs/score-list.tsx";
import { hrefTo, place } from "../place.ts";
import { when } from "../words.ts";

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** The scores that an address names. */
const filtersOf = (query: Readonly<Record<string, string>>): ScoreFilters => {
  const { name, status, date_from: from, date_to: to, judge } = query;
  const [least, most] = [numberIn(query["min_value"]), numberIn(query["max_value"])];
  const version = numberIn(query["metric_version"]);
  return {
    ...(name === undefined ? {} : { name }),
    ...(status === "FAILED" || status === "SUCCESS" ? { status } : {}),
    ...(least === undefined ? {} : { min_value: least }),
    ...(most === undefined ? {} : { max_value: most }),
    ...(from === undefined ? {} : { date_from: from }),
    ...(to === undefined ? {} : { date_to: to }),
    ...(judge === undefined ? {} : { judge }),
    ...(version === undefined ? {} : { metric_version: version }),
  };
};

/** What a bar of the metrics stands for: its scores, and through them its traces. */
export const ScoresPage = () => {
  const { query } = place.value;
  const { range = null, by = null, date_from: from, date_to: to } = query;
  const filters = filtersOf(query);
  return (
    <main class="runs">
      <p>
        <a href={hrefTo("metrics", null, { range, by })}>← Metrics</a>
      </p>
      <h1 dir="auto">{(filters.name ?? "Scores").replaceAll("_", " ")}</h1>
      <p class="facts">
        {filters.status === "FAILED" && <span class="bad">✕ failed</span>}
        {filters.metric_version !== undefined && <span>version {filters.metric_version}</span>}
        {filters.min_value !== undefined && <span>at least {filters.min_value}</span>}
        {filters.max_value !== undefined && <span>at most {filters.max_value}</span>}
        {from !== undefined && <span>judged from {when(from)}</span>}
        {to !== undefined && <span>until {when(to)}</span>}
      </p>
      <ScoreList filters={filters} of={query["of"] === "sessions" ? "sessions" : "traces"} />
    </main>
  );
};
