import { globSync } from "node:fs";
import { deploymentFaults, type RunningStack } from "../../settings/running-settings.ts";
import { settingsFile } from "../../settings/settings-file.ts";
import { type PlannedStage, planStage } from "../../settings/stage-settings.ts";
import { appContext } from "../cdk-context.ts";
import type { Account } from "./account.ts";
import { fault, type Finding, note, ok } from "./finding.ts";
import { checkAccount } from "./preflight.ts";

/** Resources that a template of CloudFormation may have. */
const maxResources = 500;

/** Settings of a deployment, or none if one of them is refused, and what is to say about them. */
export interface CheckedSettings {
  readonly planned: PlannedStage | null;
  readonly findings: readonly Finding[];
}

/** Reads the settings of a deployment and synthesizes its stack, without AWS. @param args arguments of `cdk`, which may contain settings. */
export const checkSettings = async (
  repository: string,
  account: Pick<Account, "region">,
  args: readonly string[],
): Promise<CheckedSettings> => {
  try {
    const region = await account.region().catch(() => undefined);
    const planned = planStage(repository, appContext(repository, args), region);
    const [{ stage }, { resources, warnings }] = [planned.settings, planned.stack];
    const files = globSync(settingsFile("*"), { cwd: repository });
    const findings = [
      ok(`The settings of the stage ${stage} are valid.`),
      ...(files.length === 0 || files.includes(settingsFile(stage))
        ? []
        : [note(`There is no ${settingsFile(stage)}, as there is ${files[0]}: the stage has defaults.`)]),
      ...warnings.map(note),
      resources <= maxResources
        ? ok(`The stack has ${resources} of ${maxResources} resources.`)
        : fault(
            `The stack has ${resources} resources, and CloudFormation takes ${maxResources}: name fewer receivers in the setting notifications.`,
          ),
    ];
    return { planned, findings };
  } catch (error) {
    const sentences = (error instanceof Error ? error.message : String(error)).split("\n");
    return { planned: null, findings: sentences.map(fault) };
  }
};

/**
 * Checks the differences of a deployment from the running stack, and the account that it goes to.
 *
 * @param comparedStack the running stack with those of its settings that the deployment must not drop.
 */
export const checkDeployment = async (
  account: Account,
  planned: PlannedStage,
  stack: RunningStack,
  comparedStack: RunningStack,
): Promise<readonly Finding[]> => [
  ...deploymentFaults(comparedStack, planned.settings, settingsFile(planned.settings.stage)).map(fault),
  ...(await checkAccount(account, planned, stack)),
];
