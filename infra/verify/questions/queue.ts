import { counted, inDollars, inSeconds } from "../figures.ts";
import { endedRun, flawsOf, scoresOf } from "../judged-run.ts";
import { judged, notAsked, type Question } from "../question.ts";
import { newTag, sampleTraces } from "../sample-traces.ts";
import { storeTraces } from "../store-traces.ts";

const metric = "task_completion";

export const queue: Question = {
  title: "The queue's workers judge 100 traces, each once",
  ask: async (scene) => {
    const { project } = scene;
    const { model } = await project.client.getRunTemplate({ query: { metric } });
    const providers = await project.client.listProviders();
    const provider = providers.find(({ key }) => model.startsWith(`${key}/`));
    if (provider?.available !== true) return notAsked(`the default judge is ${model}. ${provider?.message ?? ""}`);
    const tag = newTag("queue");
    const traces = sampleTraces(100, tag);
    await storeTraces(project, traces);
    const run = await endedRun(scene, tag, [metric]);
    const scores = await scoresOf(scene, run);
    const after = scores.map(({ created_at }) => (Date.parse(created_at) - Date.parse(run.created_at)) / 1000);
    const [first, last] = [Math.min(...after), Math.max(...after)];
    const failed = run.failed_count === 0 ? "" : `, ${run.failed_count} failed`;
    return judged(
      flawsOf(
        scores,
        traces.map(({ trace_id }) => trace_id),
        [metric],
      ),
      `first score after ${inSeconds(first)}, last after ${inSeconds(last)}: ${(scores.length / last).toFixed(1)} judgements ` +
        `a second; ${counted(run.judge_usage.calls, "call")}, ${inDollars(run.judge_usage.cost_usd)}${failed}`,
    );
  },
};
