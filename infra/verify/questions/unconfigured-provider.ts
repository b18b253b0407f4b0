import { runToCompletion } from "../completed-run.ts";
import { fail, pass, skip, type Check } from "../check.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const unconfiguredProvider: Check = {
  title: "A run with an unconfigured judge provider ends with FAILED and names the missing configuration",
  run: async (context) => {
    const { project } = context;
    const unconfigured = (await project.client.listProviders()).find(({ available }) => !available);
    if (unconfigured === undefined) return skip("every provider is configured");
    const tag = newTag("unconfigured");
    await project.client.createTrace({ body: sampleTrace(tag) });
    const { status, error_message: errorMessage } = await runToCompletion(
      context,
      tag,
      ["task_completion"],
      `${unconfigured.key}/verify`,
    );
    const outcome = `${status}: ${errorMessage}`;
    return status === "FAILED" && errorMessage?.includes(unconfigured.message) === true
      ? pass(outcome)
      : fail(`${outcome} instead of FAILED: ${unconfigured.message}`);
  },
};
