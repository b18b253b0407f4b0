import type { Caller } from "../client/caller.ts";
import { counted } from "../figures.ts";
import { fails, holds, type Answer } from "../question.ts";

const query = { limit: 200 };

/** So often the project is looked through: what was under way when it ended may still arrive. */
const mostLooks = 20;

/** Deletes what a look finds, monitors first: they would make runs. @returns how much of each. */
const deleteFound = async (project: Caller) => {
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

/** Deletes everything of a project until two looks in a row find nothing. */
export const emptyProject = async (
  project: Caller,
  wait: (milliseconds: number) => Promise<void>,
  pause: number,
): Promise<Answer> => {
  const sum = { monitors: 0, runs: 0, traces: 0 };
  let empty = 0;
  for (let look = 0; look < mostLooks && empty < 2; look += 1) {
    const found = await deleteFound(project);
    sum.monitors += found.monitors;
    sum.runs += found.runs;
    sum.traces += found.traces;
    empty = found.monitors + found.runs + found.traces === 0 ? empty + 1 : 0;
    if (empty < 2) await wait(pause);
  }
  const seen = [counted(sum.traces, "trace"), counted(sum.runs, "run"), counted(sum.monitors, "monitor")].join(", ");
  return empty === 2 ? holds(`${seen}, and nothing is left`) : fails(`${seen}, and still something is left`);
};
