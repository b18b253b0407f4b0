import type { CompareTraceScoresQuery } from "../../client/interface.ts";
import { client } from "../sign-in.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { ComparisonView } from "../trends/comparison.tsx";
import { useLoad } from "../use-load.ts";

/** Fields of the form, by the name of their query parameter in the address. */
const fields = [
  { name: "metric", title: "Metric", example: "task_completion" },
  { name: "baseline", title: "Baseline", example: "release:2.2" },
  { name: "candidate", title: "Candidate", example: "release:2.3" },
] as const;

/** Page that compares the scores of two sets of traces, such as two releases. */
export const ComparePage = () => {
  const { metric = "", baseline = "", candidate = "", from } = route.value.query;
  const isComplete = metric !== "" && baseline !== "" && candidate !== "";
  const { value, error, reload, isLoading } = useLoad(
    async (signal) => {
      if (!isComplete) return null;
      const query: CompareTraceScoresQuery = {
        metric_name: metric,
        baseline,
        candidate,
        corrected: true,
        // Traces and their scores of one window: by the scores' own times the table would count other traces.
        ...(from !== undefined && { started_after: from }),
      };
      return await client.value.compareTraceScores({ query }, { signal });
    },
    [metric, baseline, candidate, from],
  );
  return (
    <main class="runs">
      <p>
        <a href={hrefTo("metrics")}>← Metrics</a>
      </p>
      <h1>Compare</h1>
      <form
        class="filters"
        key={JSON.stringify([metric, baseline, candidate])}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const entries = [...form].flatMap(([name, text]) => (typeof text === "string" ? [[name, text.trim()]] : []));
          updateQuery(Object.fromEntries(entries));
        }}
      >
        {fields.map(({ name, title, example }) => (
          <label key={name}>
            {title}{" "}
            <input
              name={name}
              placeholder={example}
              required
              dir="auto"
              defaultValue={{ metric, baseline, candidate }[name]}
            />
          </label>
        ))}
        <button type="submit">Compare</button>
        {isComplete && (
          <a href={hrefTo("compare", null, { metric, baseline: candidate, candidate: baseline, from: from ?? null })}>
            Swap sides
          </a>
        )}
      </form>
      <p class="faint">
        A side is filters of traces, such as <code>release:2.3,environment:production</code>.
        {from !== undefined && ` Traces that started since ${from.slice(0, 10)}, and their scores.`}
      </p>
      <ErrorAlert error={error} reload={reload} />
      {isComplete && isLoading && value === null && <LoadingNote>Comparing all scores</LoadingNote>}
      {value !== null && <ComparisonView comparison={value} baseline={baseline} candidate={candidate} />}
    </main>
  );
};
