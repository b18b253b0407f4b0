import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { App, Aws, Stage } from "aws-cdk-lib";
import { DISABLE_ASSET_STAGING_CONTEXT } from "aws-cdk-lib/cx-api";
import { beforeAll, expect, test } from "vitest";
import { openBuildCache } from "../../../../infra/local/build/build-cache.ts";
import { handlerBundles } from "../../../../infra/local/handler-bundles.ts";
import { repository } from "../../../../infra/local/repository.ts";
import type * as assay from "../../../../infra/package/assay-stack.ts";
import { writePackage } from "../../../../infra/package/write-package.ts";
import { prebuiltBundles } from "../../../../infra/functions/prebuilt-bundles.ts";
import { parseSettings } from "../../../../infra/settings/settings.ts";
import { ServiceStack } from "../../../../infra/stack.ts";
import { readBuild } from "../../../../infra/supply/build.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { sharedBuilds } from "../../../support/service/shared-builds.ts";
import { temporaryDirectory } from "../../synthesize.ts";
import { compileCache } from "../../../support/vitest/compile-cache.ts";

/** The program of the package's page. */
const program = /```ts\n(?<program>[\s\S]*?)```/u.exec(
  readFileSync(join(repository, "infra/package/README.md"), "utf8"),
)?.groups?.["program"];

const settings = { retentionDays: 90, alarmEmail: "team@example.com", monthlyCostCeilingUsd: 100 };

/** A folder with nothing but the program and the packages that it imports. */
const folder = temporaryDirectory();
const packageDirectory = join(folder, "node_modules/assay-cdk");
let AssayStack: typeof assay.AssayStack;

beforeAll(async () => {
  mkdirSync(packageDirectory, { recursive: true });
  await writePackage(packageDirectory, (handlers) => openBuildCache(sharedBuilds).provide(handlerBundles, handlers));
  for (const peer of ["aws-cdk-lib", "constructs"])
    symlinkSync(join(repository, "node_modules", peer), join(folder, "node_modules", peer));
  writeFileSync(join(folder, "app.mts"), program ?? "");
  ({ AssayStack } = await import(pathToFileURL(join(packageDirectory, "index.cjs")).href));
});

const readJson = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(...path), "utf8"));

const newApp = (): App =>
  new App({
    context: { [DISABLE_ASSET_STAGING_CONTEXT]: true },
    outdir: temporaryDirectory(),
    builtinCloudFormationValidation: false,
    treeMetadata: false,
  });

test("the program of the package's page synthesizes the template of `npm run synth` in an empty folder, whatever the context of its app is", () => {
  const output = temporaryDirectory();
  const context = {
    [DISABLE_ASSET_STAGING_CONTEXT]: true,
    "aws:cdk:enable-path-metadata": true,
    "aws:cdk:enable-asset-metadata": true,
    "@aws-cdk/aws-iam:minimizePolicies": true,
    "@aws-cdk/core:target-partitions": ["aws"],
    retentionDays: 7,
    team: "agents",
  };
  const variables = {
    CDK_OUTDIR: output,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_VALIDATION: "false",
    ...compileCache,
  };
  const app = newApp();
  const reference = new ServiceStack(app, "assay-prod", {
    settings: parseSettings({ stage: "prod", ...settings }),
    bundles: prebuiltBundles(join(packageDirectory, "handlers")),
    build: readBuild(repository),
    routes,
  });
  app.synth();

  execFileSync(process.execPath, [join(folder, "app.mts")], { cwd: folder, env: variables });

  expect(program?.trim().split("\n").length).toBeLessThanOrEqual(10);
  expect(readJson(output, "Assay.template.json")).toEqual(readJson(app.outdir, reference.templateFile));
  expect(readJson(output, "manifest.json")).toMatchObject({
    artifacts: { Assay: { properties: { stackName: "assay-prod", terminationProtection: true } } },
  });
  expect(readdirSync(folder).toSorted()).toEqual(["app.mts", "node_modules"]);
});

test.each([
  [
    "20.20.2",
    1,
    "assay-cdk needs Node 22.12 or newer, not v20.20.2: install one, for example from https://nodejs.org.\n",
  ],
  ["22.11.0", 1, expect.stringContaining("not v22.11.0")],
  ["22.12.0", 0, ""],
])("an app on Node %s ends with %i, and one line if it is too old", (version, status, printed) => {
  const versions = `Object.defineProperties(process, { version: { value: "v${version}" }, versions: { value: { ...process.versions, node: "${version}" } } })`;
  const run = (...app: readonly string[]) =>
    spawnSync(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(versions)}`, ...app], {
      cwd: folder,
      encoding: "utf8",
    });
  const module = run(
    "--input-type=module",
    "--eval",
    'import { AssayStack } from "assay-cdk"; if (!AssayStack) throw 1',
  );
  const commonJs = run("--input-type=commonjs", "--eval", 'if (!require("assay-cdk").AssayStack) throw 1');

  for (const { status: ended, stderr } of [module, commonJs]) expect([ended, stderr]).toEqual([status, printed]);
});

test("a stack in a stage of a pipeline has its settings' alarms under the same names, and its parts as attributes", () => {
  const stage = new Stage(newApp(), "Production", { env: { account: "123456789012", region: "eu-central-1" } });

  const stack = new AssayStack(stage, "Assay", {
    stage: "prod",
    stackName: "traces",
    terminationProtection: false,
    settings: { ...settings, alarms: ["OperationsLag"] },
  });

  expect(stack).toMatchObject({ stackName: "traces", terminationProtection: false, region: "eu-central-1" });
  expect(stack.alarms.map(({ node }) => node.id)).toEqual(["Lag"]);
  expect(stack.alarmTopics).toHaveLength(1);
  expect(stack.resolve(stack.apiUrl)).toMatchObject({ "Fn::Join": expect.any(Array) });
  expect(stack.resolve(stack.tableName("rows"))).toEqual({ Ref: expect.stringMatching(/^Datarows/u) });
});

test.each([
  [{ retentionDay: 90 }, "There is no setting retentionDay; did you mean retentionDays?"],
  [{ ...settings, alarmEmail: "team" }, 'The setting alarmEmail must be an e-mail address; it is "team".'],
  [
    {
      ...settings,
      jwt: { issuer: `https://${Aws.REGION}.example.com`, jwksUri: "https://example.com", audiences: ["a"] },
    },
    "The setting jwt is known at deployment only (a token): write the value itself.",
  ],
  [{ ...settings, stage: "dev" }, 'The settings name another stage than prod, "dev".'],
  [
    { alarmEmail: "team@example.com" },
    "Set retentionDays, the number of days that traces are kept; 0 keeps them forever, and stored traces cost money.",
  ],
])("the settings %j are refused in one sentence", (input, sentence) => {
  const props = { stage: "prod", settings: input } as assay.AssayStackProps;

  expect(() => new AssayStack(newApp(), "Assay", props)).toThrow(new Error(sentence));
});

test("a program in TypeScript gets the types of settings and attributes", () => {
  writeFileSync(
    join(folder, "types.mts"),
    `${program}
// @ts-expect-error -- no such setting
new AssayStack(app, "Unknown", { stage: "prod", settings: { retentionDays: 90, retentionDay: 90 } });
// @ts-expect-error -- no such table
new AssayStack(app, "Dev", { stage: "dev", tags: { team: "a" }, settings: { retentionDays: 0, logRetentionDays: 90 } }).tableName("row");
`,
  );
  const compiler = join(repository, "node_modules/typescript/bin/tsc");
  const args = [
    "--noEmit",
    "--singleThreaded",
    "--strict",
    "--module",
    "nodenext",
    "--lib",
    "es2024,esnext.disposable",
    "--types",
    "",
  ];

  const { stdout } = spawnSync(process.execPath, [compiler, ...args, "types.mts"], { cwd: folder, encoding: "utf8" });

  expect(stdout).toBe("");
});
