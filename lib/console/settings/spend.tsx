import type { EvalRun } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { MonthlyCeilings, useSpend } from "../parts/ceilings.tsx";
import { hrefTo } from "../route.ts";
import { client, currentViewer } from "../sign-in.ts";
import { dollars, plural } from "../format.ts";
import { SettingsPart } from "./section.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";

/** Max running runs read of each kind. */
const maxRuns = 500;

/** Returns the runs of a list that wait. */
const waitingOf = async (list: AsyncIterable<EvalRun>): Promise<readonly EvalRun[]> => {
  const runs: EvalRun[] = [];
  for await (const run of list) if (runs.push(run) === maxRuns) break;
  return runs.filter(({ waiting_for: reason }) => reason !== null);
};

const monthName = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });

/** Settings section with the judge cost of the current project in this calendar month (UTC), waiting runs and ceilings. */
export const Spend = () => {
  const viewer = currentViewer.value;
  const project = viewer === null ? null : viewer.kind === "key" ? viewer.projectName : viewer.projectId;
  const running = useLoad(
    async (signal) => {
      const { each } = client.value;
      const query = { query: { status: "RUNNING" } } as const;
      const lists =
        project === null ? [] : [each.listTraceRuns(query, { signal }), each.listSessionRuns(query, { signal })];
      return (await Promise.all(lists.map(waitingOf))).flat();
    },
    [project],
  );
  const month = useSpend();
  const spend = month.value;
  return (
    <SettingsPart
      title="Spend"
      isBusy={month.isLoading || running.isLoading}
      isPending={spend === null && month.error === null}
    >
      <ErrorAlert {...month} />
      {spend !== null && (
        <p>
          <b>{dollars(spend.spent_usd)}</b> for judging in this project
          {spend.is_complete ? "" : ", at least,"} in {monthName.format(Date.parse(spend.period_start))} (UTC), with
          previews and deleted runs; {dollars(spend.organization_spent_usd)} in all projects of the organization.{" "}
          {plural(spend.runs, "run")} created in this month.
          {spend.unpriced_runs > 0 && ` The cost of ${plural(spend.unpriced_runs, "run")} is unknown.`}
        </p>
      )}
      <ErrorAlert {...running} />
      {(running.value ?? []).map(({ id, target_type: type, waiting_for: reason }) => (
        <p class="bad" key={id}>
          <a href={hrefTo(type === "TRACE" ? "runs" : "session-runs", id)}>Run waiting</a>: {reason}
        </p>
      ))}
      {spend !== null && <MonthlyCeilings spend={spend} />}
      <p class="faint">A run’s own ceiling is shown on its page.</p>
    </SettingsPart>
  );
};
