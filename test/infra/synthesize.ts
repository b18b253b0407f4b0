import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, type Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Code } from "aws-cdk-lib/aws-lambda";
import { DISABLE_ASSET_STAGING_CONTEXT } from "aws-cdk-lib/cx-api";
import { type Bundles, prebuiltBundles } from "../../infra/functions/prebuilt-bundles.ts";
import { readSettings } from "../../infra/settings/settings.ts";
import { ServiceStack } from "../../infra/stack.ts";
import type { Build } from "../../infra/supply/build.ts";
import type { Route } from "../../lib/contract/route.ts";
import { routes } from "../../lib/contract/routes.ts";

const workers = readdirSync(new URL("../../functions/workers", import.meta.url)).map((file) =>
  file.replace(/\.ts$/u, ""),
);

/** Every handler of the stack, each as a file of one line: these tests are about the stack, not about its code. */
export const handlers = [...routes.map(({ handler }) => handler), ...workers.map((name) => `workers/${name}`)];

const root = mkdtempSync(join(tmpdir(), "assay-infra-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));

/** A new directory that is deleted when the process ends. */
export const temporaryDirectory = (): string => mkdtempSync(join(root, "in-"));

/** Writes a bundle for each handler. */
export const fixtureBundles = (): Bundles => {
  const directory = temporaryDirectory();
  for (const name of handlers) {
    const bundle = join(directory, name);
    mkdirSync(bundle, { recursive: true });
    writeFileSync(join(bundle, "index.mjs"), `export const handler = async () => ${JSON.stringify(name)};\n`);
  }
  const bundles = prebuiltBundles(directory);
  // The hash of each bundle's files would be a tenth of a synthesis.
  return (handler, files = {}) =>
    Object.keys(files).length === 0
      ? Code.fromAsset(join(directory, handler), { assetHash: handler })
      : bundles(handler, files);
};

let layer: string | undefined;

/** Folder of the lake's layer, without DuckDB. */
const fixtureLayer = (): string => {
  if (layer !== undefined) return layer;
  layer = temporaryDirectory();
  writeFileSync(join(layer, "package.json"), "{}");
  return layer;
};

let bundles: Bundles | undefined;

/** A set of bundles for all stacks of a process. */
const sharedBundles = (): Bundles => (bundles ??= fixtureBundles());

interface Synthesized {
  readonly stack: Stack;
  readonly template: Template;
  /** Directory of the cloud assembly. */
  readonly directory: string;
  /** The template file that is uploaded. */
  readonly file: string;
}

/** Skips the copies of assets: copying a hundred bundles takes as long as synthesis. */
const unstaged = { [DISABLE_ASSET_STAGING_CONTEXT]: true };

/** Build of the synthesized stacks, which do not depend on the commit of the checkout. */
export const fixtureBuild: Build = { version: "1.2.3", commit: "0123456789abcdef0123456789abcdef01234567" };

/** Synthesizes a new stack for some context, with the contract's routes or others. */
export const synthesizeAnew = (
  context: Record<string, unknown> = {},
  served: readonly Route[] = routes,
  build = fixtureBuild,
  lakeLayer: string | null = fixtureLayer(),
): Synthesized => {
  const directory = temporaryDirectory();
  // CloudFormation's own rules take ten times as long as all the rest and run once, in `fixture-app.ts`.
  const app = new App({
    context: { ...unstaged, ...context },
    outdir: directory,
    builtinCloudFormationValidation: false,
    // The description of the construct tree takes a sixth of a synthesis.
    treeMetadata: false,
  });
  const settings = readSettings(app.node.getAllContext());
  const stack = new ServiceStack(app, `assay-${settings.stage}`, {
    settings,
    bundles: sharedBundles(),
    build,
    routes: served,
    lakeLayer: lakeLayer ?? undefined,
  });
  return { stack, template: Template.fromStack(stack), directory, file: join(directory, stack.templateFile) };
};

const synthesizedByKey = new Map<string, Synthesized>();

/** The stack of the contract's routes for some context, synthesized once per process: the tests only read it. */
export const synthesize = (context: Record<string, unknown> = {}): Synthesized => {
  const key = JSON.stringify(context);
  const result = synthesizedByKey.get(key) ?? synthesizeAnew(context);
  synthesizedByKey.set(key, result);
  return result;
};
