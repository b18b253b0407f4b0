import { existsSync } from "node:fs";
import { join } from "node:path";
import { arn, arnResource } from "../template/arn.ts";
import type { Resolver } from "../template/intrinsics.ts";

/** A Lambda function of the template. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  readonly file: string;
  readonly handler: string;
  /** Timeout of an invocation in seconds. */
  readonly timeout: number;
  /** Memory limit in MB. */
  readonly memory: number;
  /** Maximum concurrent sandboxes. */
  readonly concurrency: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Type of the sandboxes: processes for targets of queues, streams and schedules, threads for API functions. */
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

/** Default maximum of concurrent sandboxes per function, for a laptop with few cores. */
export const sandboxesPerFunction = 4;

/** The same default in shared threads: more sandboxes gain nothing there, and each loads its handler again. */
export const sandboxesPerSharedFunction = 2;

/** Extracts the function name from an ARN, without alias or version. */
export const functionName = (functionArn: string): string => arnResource(functionArn).split(":")[1] ?? functionArn;

const backgroundFunctions = (resolver: Resolver): ReadonlySet<string> => {
  const mappedNames = resolver.resources("AWS::Lambda::EventSourceMapping").map(({ properties }) => {
    const target = String(properties["FunctionName"]);
    return target.startsWith("arn:") ? functionName(target) : target;
  });
  const scheduledNames = resolver.resources("AWS::Scheduler::Schedule").map(({ properties }) => {
    const target = properties["Target"] as { readonly Arn?: string } | undefined;
    return functionName(target?.Arn ?? "");
  });
  const asynchronousNames = resolver
    .resources("AWS::Lambda::EventInvokeConfig")
    .map(({ properties }) => String(properties["FunctionName"]));
  return new Set([...mappedNames, ...scheduledNames, ...asynchronousNames]);
};

const bundleFile = (directory: string, module: string): string => {
  const candidates = ["mjs", "js", "cjs"].map((ending) => join(directory, `${module}.${ending}`));
  const bundlePath = candidates.find((path) => existsSync(path));
  if (bundlePath === undefined) throw new Error(`The bundle ${join(directory, module)}.mjs is missing.`);
  return bundlePath;
};

/**
 * Reads the functions of the template.
 *
 * @param overrides values of environment variables that replace the template's.
 *
 * Not supported: inline code, container images, layers, other runtimes than Node.js, versions and aliases (all
 * functions are `$LATEST`). Functions of custom resources, which have no asset directory, are left out.
 */
export const functionDefinitions = (
  resolver: Resolver,
  assets: ReadonlyMap<string, string>,
  overrides: Readonly<Record<string, string>> = {},
): readonly FunctionDefinition[] => {
  const background = backgroundFunctions(resolver);
  return resolver.resources("AWS::Lambda::Function").flatMap(({ id, properties }) => {
    const functionProperties = properties as unknown as FunctionProperties;
    const directory = assets.get(functionProperties.Code.S3Key ?? "");
    if (directory === undefined) return [];
    const [module = "", handler = ""] = functionProperties.Handler.split(/\.(?=[^.]*$)/);
    const variables = Object.entries(functionProperties.Environment?.Variables ?? {});
    const name = resolver.nameOf(id);
    return [
      {
        name,
        arn: arn("lambda", `function:${name}`),
        file: bundleFile(directory, module),
        handler,
        timeout: Number(functionProperties.Timeout ?? 3),
        memory: Number(functionProperties.MemorySize ?? 128),
        concurrency: Math.min(
          sandboxesPerFunction,
          Number(functionProperties.ReservedConcurrentExecutions ?? sandboxesPerFunction),
        ),
        environment: {
          ...Object.fromEntries(variables.map(([key, value]) => [key, overrides[key] ?? String(value)])),
          ...(functionProperties.LoggingConfig?.LogFormat === "JSON" && { AWS_LAMBDA_LOG_FORMAT: "JSON" }),
        },
        kind: background.has(name) ? ("process" as const) : ("thread" as const),
      },
    ];
  });
};
