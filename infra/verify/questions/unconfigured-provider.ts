import { listedJudges } from "../../../lib/judge/prices/listed-judges.ts";
import { runToCompletion } from "../completed-run.ts";
import { fail, pass, skip, type Check } from "../check.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const unconfiguredProvider: Check = {
  title: "A run with an unconfigured judge provider ends with FAILED and names the missing configuration",
  run: async (context) => {
    const { project } = context;
    const unconfigured = (await project.client.listProviders()).filter(({ available }) => !available);
    const modelOf = (key: string) => listedJudges.find((judge) => judge.startsWith(`${key}/`));
    const provider = unconfigured.find(({ key }) => modelOf(key) !== undefined);
    if (provider === undefined) return skip("every provider of a listed judge is configured");
    const model = modelOf(provider.key) ?? null;
    const tag = newTag("unconfigured");
    await project.client.createTrace({ body: sampleTrace(tag) });
    let run;
    try {
      run = await runToCompletion(context, tag, ["task_completion"], model);
    } catch (error) {
      if (error instanceof Error && error.message.includes("'judgeModels'")) return skip(error.message);
      throw error;
    }
    const outcome = `${run.status}: ${run.error_message}`;
    return run.status === "FAILED" && run.error_message?.includes(provider.message) === true
      ? pass(outcome)
      : fail(`${outcome} instead of FAILED: ${provider.message}`);
  },
};
