import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type LocalOptions, type LocalStack, startLocal } from "../../../infra/local/local-stack.ts";
import type { Resource } from "../../../infra/local/template/template.ts";
import { sharedBuilds } from "./shared-builds.ts";

/** A function of a fixture: the source of its bundle, and its properties where they differ from the defaults. */
interface FixtureFunction {
  readonly code: string;
  readonly timeout?: number;
  readonly environment?: Readonly<Record<string, unknown>>;
  /** What lies beside the bundle, text by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A small stack: functions, other resources, and the paths of its API. */
export interface Fixture {
  readonly functions?: Readonly<Record<string, FixtureFunction>>;
  readonly resources?: Readonly<Record<string, Resource>>;
  readonly paths?: Readonly<Record<string, unknown>>;
  /** Members of the OpenAPI body beside the paths. */
  readonly api?: Readonly<Record<string, unknown>>;
}

/** A directory that is gone after the test. */
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

/** A method whose requests go to a function. */
export const proxyTo = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  "x-amazon-apigateway-integration": { type: "aws_proxy", httpMethod: "POST", uri: functionUri(id), ...more },
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
      ...Object.fromEntries(Object.entries(functions).map(([id, given]) => [id, functionResource(id, given)])),
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

/** Starts a fixture on free ports; it is stopped after the test. */
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

/** Milliseconds until one looks again: a tenth of what has passed. A look is a request, half a dozen of the database's behind it. */
const untilNextLook = (passed: number): number => Math.min(250, Math.max(25, passed / 10));

/** Waits until something is so, on a machine that may be busy. @throws Error after four minutes: before the test's own limit. */
export const eventually = async <T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
  const began = Date.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const passed = Date.now() - began;
    if (passed > 240_000) throw new Error("It did not happen in time.");
    await new Promise((resolve) => void setTimeout(resolve, untilNextLook(passed)));
  }
};

/** What a function printed: one JSON object a line. */
export const printedBy = <T>(directory: string, functionName: string): T[] => {
  const log = join(directory, "logs", `${functionName}.log`);
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as T);
};

/** A list once it has so many elements, for `eventually`. */
export const some = <T>(list: readonly T[], count = 1): readonly T[] | undefined =>
  list.length >= count ? list : undefined;
