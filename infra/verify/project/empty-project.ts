import type { Caller } from "../client/caller.ts";
import { withCount } from "../figures.ts";
import { fail, pass, type CheckResult } from "../check.ts";

const query = { limit: 200 };

/** Maximum passes over the project: data of requests in flight may still arrive after the checks ended. */
const maxPasses = 20;

/** Deletes a page of monitors, runs and traces. Monitors come first, because they create runs. @returns the numbers of deleted items */
const deletePage = async (project: Caller) => {
  const monitors = (await project.client.listMonitors({ query })).items;
  for (const { id } of monitors) await project.client.deleteMonitor({ path: { monitor_id: id } });
  const runs = (await project.client.listTraceRuns({ query })).items;
  for (const { id } of runs)
    await project.client.deleteTraceRun({ path: { run_id: id }, query: { delete_scores: true } });
  const traces = (await project.client.listTraces({ query })).items;
  if (traces.length > 0)
    await project.client.deleteTraces({ body: { trace_ids: traces.map(({ trace_id }) => trace_id) } });
  return { monitors: monitors.length, runs: runs.length, traces: traces.length };
};

/** Deletes all data of a project, until two passes in a row find nothing. @param pause milliseconds between passes */
export const emptyProject = async (
  project: Caller,
  wait: (milliseconds: number) => Promise<void>,
  pause: number,
): Promise<CheckResult> => {
  const totals = { monitors: 0, runs: 0, traces: 0 };
  let emptyPasses = 0;
  for (let pass = 0; pass < maxPasses && emptyPasses < 2; pass += 1) {
    const deleted = await deletePage(project);
    totals.monitors += deleted.monitors;
    totals.runs += deleted.runs;
    totals.traces += deleted.traces;
    emptyPasses = deleted.monitors + deleted.runs + deleted.traces === 0 ? emptyPasses + 1 : 0;
    if (emptyPasses < 2) await wait(pause);
  }
  const details = [
    withCount(totals.traces, "trace"),
    withCount(totals.runs, "run"),
    withCount(totals.monitors, "monitor"),
  ].join(", ");
  return emptyPasses === 2
    ? pass(`${details} deleted, nothing remains`)
    : fail(`${details} deleted, but some data remains`);
};
