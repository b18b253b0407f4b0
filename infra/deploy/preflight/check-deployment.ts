import { deploymentFaults, type RunningStack } from "../../settings/running-settings.ts";
import { settingsFile } from "../../settings/settings-file.ts";
import type { Settings } from "../../settings/settings.ts";
import { deploymentSettings } from "../cdk-context.ts";
import type { Account } from "./account.ts";
import { fault, type Finding, ok } from "./finding.ts";
import { checkAccount } from "./preflight.ts";

const faultsOf = (error: unknown): readonly Finding[] =>
  (error instanceof Error ? error.message : String(error)).split("\n").map(fault);

/**
 * Checks the settings of a deployment, its differences from the running stack, and the account that it goes to.
 *
 * @param args arguments of `cdk`, which may contain settings.
 * @param comparedStack the running stack with those of its settings that the deployment must not drop.
 */
export const checkDeployment = async (
  repository: string,
  account: Account,
  args: readonly string[],
  stack: RunningStack,
  comparedStack: RunningStack,
): Promise<readonly Finding[]> => {
  let settings: Settings;
  try {
    settings = deploymentSettings(repository, args, await account.region());
  } catch (error) {
    return faultsOf(error);
  }
  const faults = deploymentFaults(comparedStack, settings, settingsFile(settings.stage)).map(fault);
  const settingsFindings = faults.length > 0 ? faults : [ok(`The settings of the stage ${settings.stage} are valid.`)];
  return [...settingsFindings, ...(await checkAccount(account, settings, stack))];
};
