import type { EvalRun } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { Ceilings, useSpend } from "../parts/ceilings.tsx";
import { hrefTo } from "../route.ts";
import { client, currentViewer } from "../sign-in.ts";
import { dollars, plural } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";

/** Max runs read of each kind; with more, the sum is shown as "at least". */
const maxRuns = 500;

/** Returns the runs created since an instant (epoch milliseconds) from a list that is newest first. */
const runsSince = async (since: number, list: AsyncIterable<EvalRun>): Promise<readonly EvalRun[]> => {
  const runs: EvalRun[] = [];
  for await (const run of list) {
    if (Date.parse(run.created_at) < since || runs.length === maxRuns) break;
    runs.push(run);
  }
  return runs;
};

const monthName = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });

/** Settings section with the judge cost of the current project in this calendar month (UTC), waiting runs and ceilings. */
export const Spend = () => {
  const viewer = currentViewer.value;
  const project = viewer === null ? null : viewer.kind === "key" ? viewer.projectName : viewer.projectId;
  const now = new Date();
  const monthlyRuns = useLoad(
    async (signal) => {
      const since = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
      const { each } = client.value;
      const lists = project === null ? [] : [each.listTraceRuns({}, { signal }), each.listSessionRuns({}, { signal })];
      const runs = await Promise.all(lists.map((list) => runsSince(since, list)));
      return { runs: runs.flat(), isWhole: runs.every(({ length }) => length < maxRuns) };
    },
    [project],
  );
  const ceilings = useSpend();
  const { runs = [], isWhole = true } = monthlyRuns.value ?? {};
  const cost = runs.reduce((sum, { judge_usage: { cost_usd: usd } }) => sum + (usd ?? 0), 0);
  const unpricedRuns = runs.filter(({ judge_usage: { cost_usd: cost } }) => cost === null).length;
  const waitingRuns = runs.filter(({ waiting_for: reason }) => reason !== null);
  return (
    <section class="settings" aria-label="Spend" aria-busy={monthlyRuns.isLoading}>
      <h2>Spend</h2>
      <ErrorAlert {...monthlyRuns} />
      {monthlyRuns.value !== null && (
        <p>
          <b>{dollars(cost)}</b> for judging in this project, {isWhole ? "" : "at least, "}by{" "}
          {plural(runs.length, "run")} created in {monthName.format(now)} (UTC).
          {unpricedRuns > 0 && ` The cost of ${plural(unpricedRuns, "run")} is unknown.`}
        </p>
      )}
      {waitingRuns.map(({ id, target_type: type, waiting_for: reason }) => (
        <p class="bad" key={id}>
          <a href={hrefTo(type === "TRACE" ? "runs" : "session-runs", id)}>Run waiting</a>: {reason}
        </p>
      ))}
      <ErrorAlert {...ceilings} />
      {ceilings.value !== null && <Ceilings spend={ceilings.value} />}
      <p class="faint">A run’s own ceiling is shown on its page.</p>
    </section>
  );
};
