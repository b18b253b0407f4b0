import { earlierDefaultJudge, type RunningStack } from "../settings/running-settings.ts";

/** Environment variable that passes the running stack's settings to the CDK app, as JSON; without it the app compares nothing. */
export const runningStackVariable = "ASSAY_RUNNING_STACK";

const dropFlag = "--drop-settings";

/** Returns the value of a context setting in arguments of `cdk`: `-c name=value`, `-cname=value`, `--context=name=value`. */
const contextOf = (name: string, args: readonly string[]): string | undefined => {
  const pairs = args.flatMap((arg, at) => {
    if (arg === "-c" || arg === "--context") return [args[at + 1] ?? ""];
    const joined = /^(?:-c=?|--context=)(?<pair>\w.*)$/u.exec(arg)?.groups?.["pair"];
    return joined === undefined ? [] : [joined];
  });
  return pairs.findLast((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
};

/** Returns a stack's state with its judge alone, which a deployment that may drop settings must not replace silently either. */
const withoutSettings = (stack: RunningStack): RunningStack => ({
  kind: "settings",
  explicitSettings: {},
  judgeModel: stack.kind === "settings" ? stack.judgeModel : earlierDefaultJudge,
});

/** Functions that a deployment calls; tests replace them. */
export interface DeployDependencies {
  /** Reads the state of a stage's stack. */
  readonly readStack: (stage: string) => Promise<RunningStack>;
  /** Runs `cdk` with arguments and additional environment variables. @returns its exit code. */
  readonly cdk: (args: readonly string[], variables: Readonly<Record<string, string>>) => Promise<number>;
  readonly print: (line: string) => void;
}

/**
 * Deploys a stage with `cdk deploy`.
 *
 * The CDK app compares its settings with those of the running stack and stops with an error if one is missing, or if the default
 * judge would change without being named. A first
 * deployment has two steps and protects the tables in the second: protected tables would remain if the first one failed.
 *
 * @param allArgs arguments for `cdk deploy`, and `--drop-settings` to compare the judge alone.
 * @returns the exit code.
 */
export const deploy = async (
  allArgs: readonly string[],
  { readStack, cdk, print }: DeployDependencies,
): Promise<number> => {
  const args = allArgs.filter((arg) => arg !== dropFlag);
  const stage = contextOf("stage", args) ?? "dev";
  const stack = await readStack(stage);
  const comparesSettings = stack.kind === "none" || args.length === allArgs.length;
  const comparison = { [runningStackVariable]: JSON.stringify(comparesSettings ? stack : withoutSettings(stack)) };
  if (stack.kind !== "none") return cdk(["deploy", ...args], comparison);
  print("First deployment of the stage: the tables are created now and protected in a second step.");
  const code = await cdk(["deploy", ...args, "-c", "tableProtection=false"], comparison);
  return code === 0 ? cdk(["deploy", ...args], {}) : code;
};
