import { useMemo } from "preact/hooks";
import { useLoad } from "../load.ts";
import { compared, newestScored, summariesOf } from "../trends/asked.ts";
import { dimensions, groupsOf } from "../trends/groups.ts";
import { beginOf, rangeOf, ranges } from "../trends/ranges.ts";
import { Multiple } from "../trends/multiple.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { hrefTo, place, refine } from "../place.ts";
import { plural } from "../words.ts";

/** Is quality moving? */
export const MetricsPage = () => {
  const { query } = place.value;
  const range = rangeOf(query["range"]);
  const of = query["of"] === "sessions" ? "sessions" : "traces";
  const by = dimensions.find((each) => each === query["by"]) ?? null;
  const begin = beginOf(range, Date.now());
  const from = new Date(begin).toISOString();
  const { value, error, again } = useLoad((signal) => summariesOf(of, from, signal), [of, from], 30_000);
  const isCompared = by !== null && of === "traces";
  const newest = useLoad(async (signal) => (isCompared ? await newestScored(from, signal) : null), [isCompared, from]);
  const groups = useMemo(() => (by === null ? null : groupsOf(newest.value ?? [], by)), [newest.value, by]);
  return (
    <main>
      <h1 class="unseen">Metrics</h1>
      <div class="filters">
        <div class="switch" role="group" aria-label="Range">
          {(["days", "weeks", "quarter"] as const).map((each) => (
            <button type="button" aria-pressed={range === ranges[each]} onClick={() => refine({ range: each })}>
              {ranges[each].title}
            </button>
          ))}
        </div>
        <div class="switch" role="group" aria-label="Scores">
          {(["traces", "sessions"] as const).map((each) => (
            <button type="button" aria-pressed={of === each} onClick={() => refine({ of: each })}>
              Of {each}
            </button>
          ))}
        </div>
        {of === "traces" && (
          <label>
            Compare by{" "}
            <select value={by ?? ""} onChange={({ currentTarget }) => refine({ by: currentTarget.value })}>
              <option value="">nothing</option>
              {dimensions.map((each) => (
                <option value={each}>{each}</option>
              ))}
            </select>
          </label>
        )}
        <a href={hrefTo("own-metrics")}>Own metrics</a>
        {isCompared && newest.value !== null && (
          <span class="faint" role="status">
            compared: {newest.value.length === compared ? "the newest " : ""}
            {plural(newest.value.length, "trace")}, each with its newest scores
          </span>
        )}
      </div>
      <Trouble error={error} again={again} />
      <Trouble {...newest} />
      {value === null && error === null && <Waiting>Loading the figures</Waiting>}
      {value?.length === 0 && (
        <div class="empty">
          <p>No score in this time.</p>
          <p>
            Select <a href={hrefTo("traces")}>traces</a> and choose Evaluate.
          </p>
        </div>
      )}
      <div class="multiples">
        {(value ?? []).map((summary) => (
          <Multiple
            key={`${of} ${summary.metric_name}`}
            summary={summary}
            range={range}
            begin={begin}
            of={of}
            by={isCompared ? by : null}
            groups={isCompared && newest.value !== null ? (groups?.get(summary.metric_name) ?? []) : null}
          />
        ))}
      </div>
    </main>
  );
};
