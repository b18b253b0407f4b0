import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

/** Returns the context in arguments of `cdk` as written, a valid one as `name=value`: of `-c name=value`, `-cname=value`, `--context=name=value`. */
export const contextPairs = (args: readonly string[]): readonly string[] =>
  args.flatMap((arg, at) => {
    if (arg === "-c" || arg === "--context") return [args[at + 1] ?? ""];
    const joined = /^(?:-c=?|--context=)(?<pair>\w.*)$/u.exec(arg)?.groups?.["pair"];
    return joined === undefined ? [] : [joined];
  });

/** Returns the context in arguments of `cdk` by name. */
export const contextOf = (args: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    contextPairs(args)
      .filter((pair) => pair.includes("="))
      .map((pair) => {
        const end = pair.indexOf("=");
        return [pair.slice(0, end), pair.slice(end + 1)] as const;
      }),
  );

const toolkitFile = v.object({ context: v.exactOptional(v.record(v.string(), v.unknown())) });

/** Returns the context that `cdk` passes to the app: of `cdk.json` and the arguments. */
export const appContext = (repository: string, args: readonly string[]): Readonly<Record<string, unknown>> => {
  const { context } = v.parse(toolkitFile, JSON.parse(readFileSync(join(repository, "cdk.json"), "utf8")));
  return { ...context, ...contextOf(args) };
};
