import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { readSettingsFile } from "../settings/settings-file.ts";
import { readSettings, type Settings } from "../settings/settings.ts";

/** Returns the context in arguments of `cdk` by name: `-c name=value`, `-cname=value`, `--context=name=value`. */
export const contextOf = (args: readonly string[]): Readonly<Record<string, string>> => {
  const pairs = args.flatMap((arg, at) => {
    if (arg === "-c" || arg === "--context") return [args[at + 1] ?? ""];
    const joined = /^(?:-c=?|--context=)(?<pair>\w.*)$/u.exec(arg)?.groups?.["pair"];
    return joined === undefined ? [] : [joined];
  });
  return Object.fromEntries(
    pairs
      .filter((pair) => pair.includes("="))
      .map((pair) => {
        const end = pair.indexOf("=");
        return [pair.slice(0, end), pair.slice(end + 1)] as const;
      }),
  );
};

const toolkitFile = v.object({ context: v.exactOptional(v.record(v.string(), v.unknown())) });

/** Reads the settings that `cdk` would read: of `cdk.json`, the stage's file and the arguments. @throws Error as `readSettings` does. */
export const deploymentSettings = (repository: string, args: readonly string[], region: string): Settings => {
  const toolkit = v.parse(toolkitFile, JSON.parse(readFileSync(join(repository, "cdk.json"), "utf8")));
  const context = { ...toolkit.context, ...contextOf(args) };
  const file = readSettingsFile(repository, context["stage"] ?? "dev");
  return readSettings(context, { file, region });
};
