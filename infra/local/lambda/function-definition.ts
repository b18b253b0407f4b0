import { existsSync } from "node:fs";
import { join } from "node:path";
import { arn, arnResource } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";

/** A function of the template. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  readonly file: string;
  readonly handler: string;
  /** Seconds. */
  readonly timeout: number;
  /** MB. */
  readonly memory: number;
  /** Sandboxes at a time. */
  readonly concurrency: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Queue, stream and schedule targets are processes of their own, API functions are threads. */
  readonly kind: "process" | "thread";
}

interface FunctionProperties {
  readonly Handler: string;
  readonly Code: { readonly S3Key?: string };
  readonly Timeout?: number | string;
  readonly MemorySize?: number | string;
  readonly ReservedConcurrentExecutions?: number | string;
  readonly LoggingConfig?: { readonly LogFormat?: string };
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
}

/** Sandboxes of one function at a time: a laptop has a few cores, not a thousand. */
export const sandboxesPerFunction = 4;

/** The name of the function in an ARN, an alias or version left off. */
export const functionName = (functionArn: string): string => arnResource(functionArn).split(":")[1] ?? functionArn;

const backgroundFunctions = (resolver: Resolver): ReadonlySet<string> => {
  const mapped = resolver.resources("AWS::Lambda::EventSourceMapping").map(({ properties }) => {
    const target = String(properties["FunctionName"]);
    return target.startsWith("arn:") ? functionName(target) : target;
  });
  const scheduled = resolver.resources("AWS::Scheduler::Schedule").map(({ properties }) => {
    const target = properties["Target"] as { readonly Arn?: string } | undefined;
    return functionName(target?.Arn ?? "");
  });
  return new Set([...mapped, ...scheduled]);
};

const bundleFile = (directory: string, module: string): string => {
  const candidates = ["mjs", "js", "cjs"].map((ending) => join(directory, `${module}.${ending}`));
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`The bundle ${join(directory, module)}.mjs is missing.`);
  return found;
};

/**
 * Reads the functions of the template.
 *
 * Does not do: inline code, container images, layers, other runtimes than Node.js, versions and aliases (all are
 * `$LATEST`), custom resources' functions without an asset directory (left out).
 */
export const functionDefinitions = (
  resolver: Resolver,
  assets: ReadonlyMap<string, string>,
): readonly FunctionDefinition[] => {
  const background = backgroundFunctions(resolver);
  return resolver.resources("AWS::Lambda::Function").flatMap(({ id, properties }) => {
    const given = properties as unknown as FunctionProperties;
    const directory = assets.get(given.Code.S3Key ?? "");
    if (directory === undefined) return [];
    const [module = "", handler = ""] = given.Handler.split(/\.(?=[^.]*$)/);
    const variables = Object.entries(given.Environment?.Variables ?? {});
    const name = resolver.nameOf(id);
    return [
      {
        name,
        arn: arn("lambda", `function:${name}`),
        file: bundleFile(directory, module),
        handler,
        timeout: Number(given.Timeout ?? 3),
        memory: Number(given.MemorySize ?? 128),
        concurrency: Math.min(sandboxesPerFunction, Number(given.ReservedConcurrentExecutions ?? sandboxesPerFunction)),
        environment: {
          ...Object.fromEntries(variables.map(([key, value]) => [key, String(value)])),
          ...(given.LoggingConfig?.LogFormat === "JSON" && { AWS_LAMBDA_LOG_FORMAT: "JSON" }),
        },
        kind: background.has(name) ? ("process" as const) : ("thread" as const),
      },
    ];
  });
};
