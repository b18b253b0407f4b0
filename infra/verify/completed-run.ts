import type { EvalRun, TraceScore } from "../../lib/client/interface.ts";
import type { CheckContext } from "./check.ts";
import { pollUntil } from "./poll-until.ts";

/** Starts a run over the traces with a tag and waits until it is completed. @throws Error when it is not completed in time. */
export const runToCompletion = async (
  context: CheckContext,
  tag: string,
  metrics: readonly string[],
  model: string | null = null,
): Promise<EvalRun> => {
  const body = { name: tag, metrics, filters: { tags: [tag] }, model };
  const { id } = await context.project.client.createTraceRun({ body });
  const readRun = () => context.project.client.getTraceRun({ path: { run_id: id } });
  const { value, isSatisfied, seconds } = await pollUntil(
    context,
    context.timeouts.run,
    readRun,
    (run) => run.completed_at !== null,
  );
  if (isSatisfied) return value;
  const waitingText = value.waiting_for === null ? "" : ` (waiting for: ${value.waiting_for})`;
  throw new Error(`the run was ${value.status} after ${Math.round(seconds)} s${waitingText}`);
};

/** Reads all scores of a run. */
export const scoresOf = async ({ project }: CheckContext, { id }: EvalRun): Promise<readonly TraceScore[]> => {
  const scores = await project.client.listTraceRunScores({ path: { run_id: id } });
  return "items" in scores ? scores.items : scores;
};

/** Lists problems of a run's scores: pairs of a trace and a metric without a score, with several scores, or failed without a reason. */
export const scoreProblems = (
  scores: readonly TraceScore[],
  traces: readonly string[],
  metrics: readonly string[],
): readonly string[] => {
  const pairs = Map.groupBy(scores, ({ trace_id, name }) => `${trace_id} ${name}`);
  const expected = traces.flatMap((trace) => metrics.map((metric) => `${trace} ${metric}`));
  const repeated = expected.filter((pair) => (pairs.get(pair)?.length ?? 0) > 1);
  const missing = expected.filter((pair) => !pairs.has(pair));
  const unexpected = [...pairs.keys()].filter((pair) => !expected.includes(pair));
  const unexplained = scores.filter(({ status, reason }) => status !== "SUCCESS" && (reason ?? "") === "");
  const problem = (pairs: readonly unknown[], description: string): readonly string[] =>
    pairs.length === 0 ? [] : [`${pairs.length} of ${expected.length} pairs ${description}`];
  return [
    ...problem(repeated, "have more than one score"),
    ...problem(missing, "have no score"),
    ...problem(unexpected, "have a score that was not requested"),
    ...problem(unexplained, "failed without a reason"),
  ];
};
