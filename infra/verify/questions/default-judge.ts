import { withCount, inDollars, inSeconds } from "../figures.ts";
import { runToCompletion, scoreProblems, scoresOf } from "../completed-run.ts";
import { passUnless, type Check } from "../check.ts";
import { newTag, sampleTraces } from "../sample-traces.ts";
import { storeTraces } from "../store-traces.ts";

const metrics = ["task_completion", "tool_correctness"];

export const defaultJudge: Check = {
  title: "A run with the default judge scores each trace with each metric exactly once, or reports why it failed",
  run: async (context) => {
    const { project } = context;
    const tag = newTag("run");
    const traces = sampleTraces(3, tag);
    await storeTraces(project, traces);
    const { model } = await project.client.getRunTemplate({ query: { metric: "task_completion" } });
    const run = await runToCompletion(context, tag, metrics);
    const params = { run_id: run.id };
    const ids = traces.map(({ trace_id }) => trace_id);
    const { items } = await project.client.listTraceRunTargets({ path: params });
    if (run.status === "FAILED") {
      const unexplained = items.flatMap((target) => target.metrics).filter(({ reason }) => reason === null);
      return passUnless(
        [
          ...(run.error_message === null ? ["the run failed without a message"] : []),
          ...(unexplained.length === 0 ? [] : [`${withCount(unexplained.length, "pair")} failed without a reason`]),
        ],
        `${model} judged nothing, and the run reports the reason: ${run.error_message}`,
      );
    }
    const scores = await scoresOf(context, run);
    const failed = scores.filter(({ status }) => status !== "SUCCESS");
    const reasons = new Set(failed.map(({ reason }) => reason));
    const seconds = (Date.parse(run.completed_at ?? "") - Date.parse(run.created_at)) / 1000;
    return passUnless(
      [
        ...scoreProblems(scores, ids, metrics),
        ...(items.length === traces.length ? [] : [`the run names ${items.length} of ${traces.length} targets`]),
        ...(run.failed_count === failed.length ? [] : [`the run counts ${run.failed_count} failed pairs`]),
      ],
      `${withCount(scores.length, "score")} by ${run.resolved_model} in ${inSeconds(seconds)}, ` +
        `${withCount(run.judge_usage.calls, "call")}, ${inDollars(run.judge_usage.cost_usd)}` +
        (failed.length === 0 ? "" : `; ${failed.length} failed: ${[...reasons].join(" ")}`),
    );
  },
};
