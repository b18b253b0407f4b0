import { nearestName } from "../../lib/domain/nearest-name.ts";
import { contextOf, contextPairs } from "./cdk-context.ts";
import type { Build } from "../supply/build.ts";
import type { CheckedSettings } from "./preflight/check-deployment.ts";
import { type Finding, note } from "./preflight/finding.ts";
import { versionFindings } from "./preflight/version-change.ts";
import type { PlannedStage } from "../settings/stage-settings.ts";
import { earlierDefaultJudge, type RunningStack } from "../settings/running-settings.ts";

/** Environment variable that passes the running stack's settings to the CDK app, as JSON; without it the app compares nothing. */
export const runningStackVariable = "ASSAY_RUNNING_STACK";

const dropFlag = "--drop-settings";
const checkFlag = "--check";
const overFlag = "--over";

const usage = `npm run deploy -- -c stage=STAGE [-c SETTING=VALUE ...] [options] [options of cdk deploy]

Checks the settings (settings/STAGE.json and -c) and the account, and deploys the stage, dev if none is named. --check only checks;
--drop-settings drops what is no longer set; --over VERSION deploys over that version where a comparison of versions would stop.`;

/** Flags whose misspelling is refused: `cdk` would ignore it, and deploy something else than was meant. */
const knownFlags = [checkFlag, dropFlag, overFlag, "--context"];

const checkArgs = (args: readonly string[]): void => {
  for (const arg of args) {
    const [name = ""] = arg.split("=");
    const near = arg.startsWith("--") ? nearestName(name, knownFlags) : null;
    const isMeant = near === name && (name === arg || name === overFlag || name === "--context");
    if (near !== null && !isMeant) throw new Error(`There is no flag ${arg}; did you mean ${near}?`);
  }
  for (const pair of contextPairs(args))
    if (!/^\w.*=/u.test(pair))
      throw new Error(`The context ${pair} has no value: write -c name=value, as -c stage=prod.`);
};

/** Splits the arguments of a deployment into those of `cdk` and the version after `--over`. @throws Error about a misspelt flag, or a context without a value. */
const splitArgs = (allArgs: readonly string[]) => {
  checkArgs(allArgs);
  const at = allArgs.findIndex((arg) => arg === overFlag || arg.startsWith(`${overFlag}=`));
  const isPair = allArgs[at] === overFlag;
  const over = at < 0 ? undefined : isPair ? (allArgs[at + 1] ?? "") : allArgs[at]?.slice(overFlag.length + 1);
  const ownArgs: ReadonlySet<number> = new Set(at < 0 ? [] : isPair ? [at, at + 1] : [at]);
  const args = allArgs.filter((arg, index) => !ownArgs.has(index) && arg !== dropFlag && arg !== checkFlag);
  return { args, over };
};

/** Returns a stack's state with its judge alone, which a deployment that may drop settings must not replace silently either. */
const withoutSettings = (stack: RunningStack): RunningStack => ({
  kind: "settings",
  explicitSettings: {},
  judgeModel: stack.kind === "settings" ? stack.judgeModel : earlierDefaultJudge,
});

/** Functions that a deployment calls; tests replace them. */
export interface DeployDependencies {
  /** Build of the checkout. */
  readonly build: Build;
  /** Checks Region and credentials, before anything is read with them. */
  readonly checkAccess: () => Promise<readonly Finding[]>;
  /** Reads the state of a stage's stack. */
  readonly readStack: (stage: string) => Promise<RunningStack>;
  /** Reads and checks the settings, without AWS. @param args arguments of `cdk`. */
  readonly checkSettings: (args: readonly string[]) => Promise<CheckedSettings>;
  /** Checks differences and account for a deployment over a stack. @param comparedStack the stack with the settings to keep */
  readonly checkDeployment: (
    planned: PlannedStage,
    stack: RunningStack,
    comparedStack: RunningStack,
  ) => Promise<readonly Finding[]>;
  /** Runs `cdk` with arguments and additional environment variables. @returns its exit code. */
  readonly cdk: (args: readonly string[], variables: Readonly<Record<string, string>>) => Promise<number>;
  readonly print: (line: string) => void;
}

const marks: Readonly<Record<Finding["level"], string>> = { ok: "ok  ", note: "note", fault: "STOP" };

/** What a deployment makes, and how long it takes, for the operator who waits. The times are estimates: no account has shown them yet. */
const duration = (isFirst: boolean): string =>
  isFirst
    ? "First deployment of the stage: about 15 minutes, in two steps. It makes nine tables, an API, a function for each endpoint with its role, queues, alarms and a dashboard; the tables are protected in the second step."
    : "Deployment over a running stage: about 5 minutes. Functions of both versions answer meanwhile.";

/**
 * Deploys a stage with `cdk deploy`, after checks of settings and account; with `--check` it makes the checks only,
 * those of the settings also without credentials.
 *
 * The CDK app compares its settings with those of the running stack and stops with an error if one is missing, or if the default
 * judge would change without being named. A first
 * deployment has two steps and protects the tables in the second: protected tables would remain if the first one failed.
 *
 * @param allArgs arguments for `cdk deploy`, `--check`, `--drop-settings` to compare the judge alone, and `--over VERSION` to deploy
 *   over that running version where a comparison of versions would stop.
 * @returns the exit code: 1 if a check failed. @throws Error about a misspelt flag, or a context without a value.
 */
export const deploy = async (
  allArgs: readonly string[],
  { build, checkSettings, checkAccess, readStack, checkDeployment, cdk, print }: DeployDependencies,
): Promise<number> => {
  if (allArgs.includes("--help")) return (print(usage), 0);
  const { args, over } = splitArgs(allArgs);
  const stage = contextOf(args)["stage"] ?? "dev";
  const hasFault = (findings: readonly Finding[]): boolean => {
    for (const { level, sentence } of findings) print(`${marks[level]}  ${sentence}`);
    return findings.some(({ level }) => level === "fault");
  };
  const { planned, findings } = await checkSettings(args);
  if (hasFault(findings) || planned === null) return 1;
  const access = await checkAccess();
  if (allArgs.includes(checkFlag) && access.some(({ level }) => level === "fault")) {
    hasFault(access.map(({ sentence }) => note(sentence)));
    print("The settings alone were checked: neither the account nor the running stack was asked.");
    return 0;
  }
  if (hasFault(access)) return 1;
  const stack = await readStack(stage);
  const versions = versionFindings(`assay-${stage}`, stack, build, over);
  const comparesSettings = stack.kind === "none" || !allArgs.includes(dropFlag);
  const comparedStack = comparesSettings ? stack : withoutSettings(stack);
  if (hasFault([...versions, ...(await checkDeployment(planned, stack, comparedStack))])) return 1;
  if (allArgs.includes(checkFlag)) return 0;
  print(duration(stack.kind === "none"));
  const comparison = { [runningStackVariable]: JSON.stringify(comparedStack) };
  const steps: readonly [readonly string[], Readonly<Record<string, string>>][] =
    stack.kind === "none"
      ? [
          [["-c", "tableProtection=false"], comparison],
          [[], {}],
        ]
      : [[[], comparison]];
  for (const [stepArgs, variables] of steps) {
    const code = await cdk(["deploy", ...args, ...stepArgs], variables);
    if (code !== 0) return code;
  }
  print(`Deployed. Check it with: npm run -s verify -- --url <ApiUrl> --key <API key> --stage ${stage}`);
  return 0;
};
