import { type PlannedStack, trialStack } from "../trial-stack.ts";
import { readSettingsFile } from "./settings-file.ts";
import { readSettings, type Settings } from "./settings.ts";

/** Settings of a deployment, and the stack that they make. */
export interface PlannedStage {
  readonly settings: Settings;
  readonly stack: PlannedStack;
}

/**
 * Reads the settings of a stage's deployment from its file and the CDK's context, and tries them in a synthesis: `cdk` and
 * `npm run deploy -- --check` read them here, so that one refuses what the other does.
 *
 * @param context values by name, which override the file.
 * @param region the deployment's, if it is known.
 * @throws Error with one sentence for each fault.
 */
export const planStage = (
  repository: string,
  context: Readonly<Record<string, unknown>>,
  region: string | undefined,
): PlannedStage => {
  const file = readSettingsFile(repository, context["stage"] ?? "dev");
  const settings = readSettings(context, { file, region });
  return { settings, stack: trialStack(settings) };
};
