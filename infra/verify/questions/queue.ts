import { withCount, inDollars, inSeconds } from "../figures.ts";
import { runToCompletion, scoreProblems, scoresOf } from "../completed-run.ts";
import { passUnless, skip, type Check } from "../check.ts";
import { newTag, sampleTraces } from "../sample-traces.ts";
import { storeTraces } from "../store-traces.ts";

const metric = "task_completion";

export const queue: Check = {
  title: "The queue workers judge 100 traces, each exactly once",
  run: async (context) => {
    const { project } = context;
    const { model } = await project.client.getRunTemplate({ query: { metric } });
    const providers = await project.client.listProviders();
    const provider = providers.find(({ key }) => model.startsWith(`${key}/`));
    if (provider?.available !== true) return skip(`the default judge is ${model}. ${provider?.message ?? ""}`);
    const tag = newTag("queue");
    const traces = sampleTraces(100, tag);
    await storeTraces(project, traces);
    const run = await runToCompletion(context, tag, [metric]);
    const scores = await scoresOf(context, run);
    const delays = scores.map(({ created_at }) => (Date.parse(created_at) - Date.parse(run.created_at)) / 1000);
    const [first, last] = [Math.min(...delays), Math.max(...delays)];
    const failed = run.failed_count === 0 ? "" : `, ${run.failed_count} failed`;
    return passUnless(
      scoreProblems(
        scores,
        traces.map(({ trace_id }) => trace_id),
        [metric],
      ),
      `first score after ${inSeconds(first)}, last after ${inSeconds(last)}: ${(scores.length / last).toFixed(1)} judgements ` +
        `a second; ${withCount(run.judge_usage.calls, "call")}, ${inDollars(run.judge_usage.cost_usd)}${failed}`,
    );
  },
};
