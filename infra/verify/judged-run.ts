import type { EvalRun, TraceScore } from "../../lib/client/interface.ts";
import type { Scene } from "./question.ts";
import { until } from "./until.ts";

/** A run of the traces with a tag, as it ended. @throws Error when it does not end in time. */
export const endedRun = async (
  scene: Scene,
  tag: string,
  metrics: readonly string[],
  model: string | null = null,
): Promise<EvalRun> => {
  const order = { name: tag, metrics, filters: { tags: [tag] }, model };
  const { id } = await scene.project.client.createTraceRun({ body: order });
  const look = () => scene.project.client.getTraceRun({ path: { run_id: id } });
  const { found, isSo, seconds } = await until(scene, scene.patience.run, look, (run) => run.completed_at !== null);
  if (isSo) return found;
  const waiting = found.waiting_for === null ? "" : ` (it waits: ${found.waiting_for})`;
  throw new Error(`the run was ${found.status} after ${Math.round(seconds)} s${waiting}`);
};

/** The scores of a run: all of them, where no page is asked for. */
export const scoresOf = async ({ project }: Scene, { id }: EvalRun): Promise<readonly TraceScore[]> => {
  const scores = await project.client.listTraceRunScores({ path: { run_id: id } });
  return "items" in scores ? scores.items : scores;
};

/** What is wrong with the scores of a run: pairs of a trace and a metric that have none or two, or failed for no reason. */
export const flawsOf = (
  scores: readonly TraceScore[],
  traces: readonly string[],
  metrics: readonly string[],
): readonly string[] => {
  const pairs = Map.groupBy(scores, ({ trace_id, name }) => `${trace_id} ${name}`);
  const expected = traces.flatMap((trace) => metrics.map((metric) => `${trace} ${metric}`));
  const repeated = expected.filter((pair) => (pairs.get(pair)?.length ?? 0) > 1);
  const missing = expected.filter((pair) => !pairs.has(pair));
  const foreign = [...pairs.keys()].filter((pair) => !expected.includes(pair));
  const silent = scores.filter(({ status, reason }) => status !== "SUCCESS" && (reason ?? "") === "");
  const told = (found: readonly unknown[], words: string): readonly string[] =>
    found.length === 0 ? [] : [`${found.length} of ${expected.length} pairs ${words}`];
  return [
    ...told(repeated, "have more than one score"),
    ...told(missing, "have no score"),
    ...told(foreign, "have a score and were not asked for"),
    ...told(silent, "failed without a reason"),
  ];
};
