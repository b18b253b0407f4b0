import type { MonitorResponse, SessionScore, TraceScore } from "../../client/interface.ts";
import { plural } from "../format.ts";
import { LocalTime } from "../parts/labels.tsx";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";

/** Scores of a run whose mean is computed: a page. */
const maxScores = 200;

/** Returns the means of numeric scores by name, and how many they are of. */
const meansOf = (scores: readonly (TraceScore | SessionScore)[]) => {
  const counted = scores.filter(
    ({ data_type: type, value, applicable }) => type === "NUMERIC" && value !== null && applicable !== false,
  );
  return [...Map.groupBy(counted, ({ name }) => name)].map(([name, of]) => ({
    name,
    mean: of.reduce((sum, { value }) => sum + Number(value), 0) / of.length,
  }));
};

/** Time of a monitor's last run, a link to it, and the means of its scores. */
export const LastRun = ({ monitor }: { readonly monitor: MonitorResponse }) => {
  const { last_run_id: run, last_run_at: at, target_type: target } = monitor;
  const { value } = useLoad(
    async (signal) => {
      if (run === null) return null;
      const query = { eval_run_id: run, status: "SUCCESS", limit: maxScores } as const;
      return await (target === "TRACE"
        ? client.value.listTraceScores({ query }, { signal })
        : client.value.listSessionScores({ query }, { signal }));
    },
    // Scores of a run arrive while it judges.
    [run, monitor],
  );
  if (run === null || at === null) return <span class="faint">none yet</span>;
  return (
    <>
      <a href={hrefTo(target === "TRACE" ? "runs" : "session-runs", run)}>
        <LocalTime at={at} />
      </a>
      {meansOf(value?.items ?? []).map(({ name, mean }) => (
        <div key={name}>
          {name.replaceAll("_", " ")} <b>{mean.toFixed(2)}</b>
        </div>
      ))}
      {value !== null && value.total > value.items.length && (
        <div class="faint">of the first {plural(value.items.length, "score")}</div>
      )}
    </>
  );
};
