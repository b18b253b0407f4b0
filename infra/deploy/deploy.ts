import type { Running } from "../settings/running-settings.ts";

/** The variable by which the CDK app hears what is running, as JSON; without it nothing is compared. */
export const runningVariable = "ASSAY_RUNNING_STACK";

const dropFlag = "--drop-settings";

/** The value of a context setting among the arguments of `cdk`: `-c name=value`, `-cname=value`, `--context=name=value`. */
const contextOf = (name: string, args: readonly string[]): string | undefined => {
  const pairs = args.flatMap((arg, at) => {
    if (arg === "-c" || arg === "--context") return [args[at + 1] ?? ""];
    const joined = /^(?:-c=?|--context=)(?<pair>\w.*)$/u.exec(arg)?.groups?.["pair"];
    return joined === undefined ? [] : [joined];
  });
  return pairs.findLast((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
};

/** What a deployment is made with. */
export interface Deploying {
  /** What is known of a stage's stack. */
  readonly running: (stage: string) => Promise<Running>;
  /** Runs `cdk` with arguments and more variables. @returns its exit code. */
  readonly cdk: (args: readonly string[], variables: Readonly<Record<string, string>>) => Promise<number>;
  readonly tell: (line: string) => void;
}

/**
 * Deploys a stage, `args` being those of `cdk deploy`.
 *
 * The CDK app compares its settings with those of the running stack, and refuses in words. A first deployment is made in
 * two steps: tables that are protected from the beginning would stay behind if it failed.
 *
 * @returns the exit code.
 */
export const deploy = async (given: readonly string[], { running, cdk, tell }: Deploying): Promise<number> => {
  const args = given.filter((arg) => arg !== dropFlag);
  const stage = contextOf("stage", args) ?? "dev";
  const found = await running(stage);
  const isCompared = found.kind === "none" || args.length === given.length;
  const compared = isCompared ? { [runningVariable]: JSON.stringify(found) } : {};
  if (found.kind !== "none") return cdk(["deploy", ...args], compared);
  tell("The stage is new: its tables are made first, and protected in a second step.");
  const code = await cdk(["deploy", ...args, "-c", "tableProtection=false"], compared);
  return code === 0 ? cdk(["deploy", ...args], {}) : code;
};
