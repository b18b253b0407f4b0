import { endedRun } from "../judged-run.ts";
import { fails, holds, notAsked, type Question } from "../question.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const unconfiguredProvider: Question = {
  title: "A run whose judge is not configured ends FAILED and says what to configure",
  ask: async (scene) => {
    const { project } = scene;
    const missing = (await project.client.listProviders()).find(({ available }) => !available);
    if (missing === undefined) return notAsked("every provider is configured");
    const tag = newTag("unconfigured");
    await project.client.createTrace({ body: sampleTrace(tag) });
    const { status, error_message: said } = await endedRun(scene, tag, ["task_completion"], `${missing.key}/verify`);
    const told = `${status}: ${said}`;
    return status === "FAILED" && said?.includes(missing.message) === true
      ? holds(told)
      : fails(`${told} in place of FAILED: ${missing.message}`);
  },
};
