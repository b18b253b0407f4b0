import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type LocalOptions, type LocalStack, startLocal } from "../../../infra/local/local-stack.ts";
import type { Resource } from "../../../infra/local/template/template.ts";
import { sharedBuilds } from "./shared-builds.ts";

/** A function of a fixture stack: source of its bundle, and properties that differ from the defaults. */
interface FixtureFunction {
  readonly code: string;
  readonly timeout?: number;
  readonly environment?: Readonly<Record<string, unknown>>;
  /** Contents of additional files in the bundle's directory, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A small stack: functions, other resources and API paths. */
export interface Fixture {
  readonly functions?: Readonly<Record<string, FixtureFunction>>;
  readonly resources?: Readonly<Record<string, Resource>>;
  readonly paths?: Readonly<Record<string, unknown>>;
  /** Members of the OpenAPI body other than the paths. */
  readonly api?: Readonly<Record<string, unknown>>;
}

/** A temporary directory, removed after the test. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "assay-local-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** The URI of an integration or authorizer that calls a function. */
export const functionUri = (id: string, call = "2015-03-31/functions", ending = "invocations") => ({
  "Fn::Join": [
    "",
    ["arn:aws:apigateway:us-east-1:lambda:path/", call, "/", { "Fn::GetAtt": [id, "Arn"] }, "/", ending],
  ],
});

/** An API method that forwards requests to a function. */
export const proxyTo = (id: string, extraFields: Readonly<Record<string, unknown>> = {}) => ({
  "x-amazon-apigateway-integration": { type: "aws_proxy", httpMethod: "POST", uri: functionUri(id), ...extraFields },
});

const functionResource = (id: string, { timeout = 10, environment = {} }: FixtureFunction): Resource => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Handler: "index.handler",
    Code: { S3Bucket: "assets", S3Key: `${id}.zip` },
    Timeout: timeout,
    MemorySize: 256,
    Environment: { Variables: environment },
  },
});

const write = ({ functions = {}, resources = {}, paths = {}, api = {} }: Fixture, directory: string) => {
  const assets = new Map<string, string>();
  for (const [id, { code, files = {} }] of Object.entries(functions)) {
    const asset = join(directory, "bundles", id);
    mkdirSync(asset, { recursive: true });
    for (const [name, text] of Object.entries({ ...files, "index.mjs": code })) writeFileSync(join(asset, name), text);
    assets.set(`${id}.zip`, asset);
  }
  const template = {
    Resources: {
      ...Object.fromEntries(
        Object.entries(functions).map(([id, definition]) => [id, functionResource(id, definition)]),
      ),
      Api: {
        Type: "AWS::ApiGateway::RestApi",
        Properties: { Name: "fixture", Body: { openapi: "3.0.1", paths, ...api } },
      },
      ...resources,
    },
  };
  return { template, assets };
};

const credentials = { organizationId: "o", projectId: "p", projectName: "default", apiKey: "k", userId: "u" };

/** Starts a fixture stack on free ports and stops it after the test. */
export const startFixture = async (
  fixture: Fixture,
  directory = temporaryDirectory(),
  options: Partial<LocalOptions> = {},
): Promise<LocalStack> => {
  const stack = await startLocal({
    ...options,
    directory,
    port: 0,
    builds: sharedBuilds,
    synthesize: async (output) => write(fixture, output),
    bootstrap: async () => credentials,
  });
  onTestFinished(() => stack.close());
  return stack;
};

/** Milliseconds until the next check: a tenth of the elapsed time. Each check costs several database requests. */
const pauseBeforeCheck = (passed: number): number => Math.min(250, Math.max(25, passed / 10));

/**
 * Waits until a check returns a value, on a possibly busy machine.
 * @throws Error after four minutes, before the test's own limit.
 */
export const eventually = async <T>(check: () => T | undefined | Promise<T | undefined>): Promise<T> => {
  const began = Date.now();
  for (;;) {
    const result = await check();
    if (result !== undefined) return result;
    const passed = Date.now() - began;
    if (passed > 240_000) throw new Error("It did not happen in time.");
    await new Promise((resolve) => void setTimeout(resolve, pauseBeforeCheck(passed)));
  }
};

/** JSON lines printed by a function. */
export const printedBy = <T>(directory: string, functionName: string): T[] => {
  const log = join(directory, "logs", `${functionName}.log`);
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as T);
};

/** The list when it has at least `count` elements, otherwise undefined; for `eventually`. */
export const atLeast = <T>(list: readonly T[], count = 1): readonly T[] | undefined =>
  list.length >= count ? list : undefined;
