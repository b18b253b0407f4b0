import { codeBlock, html, type Html } from "./html.ts";

interface ExampleQuery {
  readonly path: string;
  readonly query: string;
  /** The question that the query answers. */
  readonly question: string;
}

/** Twelve sample queries for incident analysis. `tier` is a sample metadata key, declared in the `metadata_keys` of the project. */
export const exampleQueries: readonly ExampleQuery[] = [
  {
    question: "The most expensive traces of release 2.3 with a failed span and a low score",
    path: "/traces",
    query: "has_failed_span=true&release=2.3&score=task_completion<0.5&sort_by=cost",
  },
  {
    question: "Traces that called the tool refund, had a failed span and yet completed",
    path: "/traces",
    query: "tool=refund&has_failed_span=true&status=COMPLETED",
  },
  {
    question: "The ten slowest traces of gold customers, of ten seconds or more",
    path: "/traces",
    query: "metadata.tier=gold&min_latency_ms=10000&sort_by=latency&limit=10",
  },
  {
    question: "Traces of the large model that cost a dollar or more and scored well, with their scores",
    path: "/traces",
    query: "model=gpt-5.4&min_cost=1&score=task_completion>=0.8&sort_by=cost&include=scores",
  },
  {
    question: "The ten traces of the release with the lowest score",
    path: "/traces",
    query: "release=2.3&sort_by=score&sort_metric=task_completion&sort_order=asc&limit=10",
  },
  {
    question: "Traces with a failed span and without a score",
    path: "/traces",
    query: "has_failed_span=true&no_score=task_completion",
  },
  {
    question: "Traces of the release whose texts have the word refund and the phrase order 1042",
    path: "/traces",
    query: 'release=2.3&q=refund "order 1042"',
  },
  {
    question: "The most expensive sessions of the release in which the agent was unreliable",
    path: "/sessions",
    query: "release=2.3&score=agent_reliability<0.5&sort_by=cost",
  },
  {
    question: "The users for whom the traces of the release with the status ERROR cost most",
    path: "/traces/users",
    query: "release=2.3&status=ERROR&sort_by=cost",
  },
  {
    question: "Traces of the release with the status ERROR by hour",
    path: "/traces/analytics",
    query: "metric=errors&release=2.3&granularity=hour&started_after=2026-10-07&started_before=2026-10-08",
  },
  {
    question: "The lowest scores of a metric",
    path: "/evaluations/trace-scores",
    query: "name=task_completion&max_value=0.5&sort_by=value&sort_order=asc",
  },
  {
    question: "Is the new release worse?",
    path: "/evaluations/analytics/trace-scores/compare",
    query: "metric_name=task_completion&baseline=release:2.2&candidate=release:2.3",
  },
];

/** Section of the first page with the example queries. */
export const exampleQuerySection: Html = html` <section id="example-queries">
  <h2>Example queries</h2>
  <p>Percent-encode <code>&lt;</code> and <code>&gt;</code>, as <code>curl -G --data-urlencode</code> does.</p>
  ${exampleQueries.map(
    ({ question, path, query }) =>
      html`<p>${question}:</p>
        ${codeBlock(`GET ${path}?${query}`)}`,
  )}
</section>`;
