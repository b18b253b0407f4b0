import { counted, inDollars, inSeconds } from "../figures.ts";
import { endedRun, flawsOf, scoresOf } from "../judged-run.ts";
import { judged, type Question } from "../question.ts";
import { newTag, sampleTraces } from "../sample-traces.ts";
import { storeTraces } from "../store-traces.ts";

const metrics = ["task_completion", "tool_correctness"];

export const defaultJudge: Question = {
  title: "A run with the default judge scores each trace with each metric once, or tells why it failed",
  ask: async (scene) => {
    const { project } = scene;
    const tag = newTag("run");
    const traces = sampleTraces(3, tag);
    await storeTraces(project, traces);
    const { model } = await project.client.getRunTemplate({ query: { metric: "task_completion" } });
    const run = await endedRun(scene, tag, metrics);
    const params = { run_id: run.id };
    const ids = traces.map(({ trace_id }) => trace_id);
    const { items } = await project.client.listTraceRunTargets({ path: params });
    if (run.status === "FAILED") {
      const untold = items.flatMap((target) => target.metrics).filter(({ reason }) => reason === null);
      return judged(
        [
          ...(run.error_message === null ? ["the run failed without a message"] : []),
          ...(untold.length === 0 ? [] : [`${counted(untold.length, "pair")} failed without a reason`]),
        ],
        `${model} judged nothing, and the run says why: ${run.error_message}`,
      );
    }
    const scores = await scoresOf(scene, run);
    const failed = scores.filter(({ status }) => status !== "SUCCESS");
    const whys = new Set(failed.map(({ reason }) => reason));
    const seconds = (Date.parse(run.completed_at ?? "") - Date.parse(run.created_at)) / 1000;
    return judged(
      [
        ...flawsOf(scores, ids, metrics),
        ...(items.length === traces.length ? [] : [`the run names ${items.length} of ${traces.length} targets`]),
        ...(run.failed_count === failed.length ? [] : [`the run counts ${run.failed_count} failed pairs`]),
      ],
      `${counted(scores.length, "score")} by ${run.resolved_model} in ${inSeconds(seconds)}, ` +
        `${counted(run.judge_usage.calls, "call")}, ${inDollars(run.judge_usage.cost_usd)}` +
        (failed.length === 0 ? "" : `; ${failed.length} failed: ${[...whys].join(" ")}`),
    );
  },
};
