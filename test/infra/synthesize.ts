import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { App, type Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { DISABLE_ASSET_STAGING_CONTEXT } from "aws-cdk-lib/cx-api";
import { bundle, type Bundles } from "../../infra/functions/bundles.ts";
import { readSettings } from "../../infra/settings/settings.ts";
import { AssayStack } from "../../infra/stack.ts";
import type { Route } from "../../lib/contract/route.ts";
import { routes } from "../../lib/contract/routes.ts";

const workers = readdirSync(new URL("../../functions/workers", import.meta.url)).map((file) =>
  file.replace(/\.ts$/u, ""),
);

/** Every handler the stack needs, each a line of its own: these tests are about the stack, not about what runs in it. */
export const handlers = [...routes.map(({ handler }) => handler), ...workers.map((name) => `workers/${name}`)];

const root = mkdtempSync(join(tmpdir(), "assay-infra-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));

/** A new directory that goes away with the process. */
export const temporaryDirectory = (): string => mkdtempSync(join(root, "in-"));

/** Writes handler files and bundles them. */
export const fixtureBundles = (): Bundles => {
  const directory = temporaryDirectory();
  const functions = join(directory, "functions");
  for (const name of handlers) {
    const file = join(functions, `${name}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `export const handler = async () => ${JSON.stringify(name)};\n`);
  }
  return bundle({ functions, output: join(directory, "dist") });
};

let bundled: Bundles | undefined;

/** The same bundles for every stack of a process: making them takes longer than a stack. */
const sharedBundles = (): Bundles => (bundled ??= fixtureBundles());

interface Synthesized {
  readonly stack: Stack;
  readonly template: Template;
  /** The cloud assembly. */
  readonly directory: string;
  /** The template as it is uploaded. */
  readonly file: string;
}

/** Bundles stay where they are: copying a hundred of them takes as long as a stack. */
const unstaged = { [DISABLE_ASSET_STAGING_CONTEXT]: true };

/** A stack of its own for some context, the contract's routes or others, and its template. */
export const synthesizeAnew = (
  context: Record<string, unknown> = {},
  served: readonly Route[] = routes,
): Synthesized => {
  const directory = temporaryDirectory();
  // CloudFormation's own rules take ten times as long as all the rest: they are looked at once, in `fixture-app.ts`.
  const app = new App({
    context: { ...unstaged, ...context },
    outdir: directory,
    builtinCloudFormationValidation: false,
  });
  const settings = readSettings(app.node);
  const stack = new AssayStack(app, `assay-${settings.stage}`, {
    settings,
    bundles: sharedBundles(),
    routes: served,
  });
  return { stack, template: Template.fromStack(stack), directory, file: join(directory, stack.templateFile) };
};

const known = new Map<string, Synthesized>();

/** The same for the contract's routes, made once for all tests of a process: they only read it. */
export const synthesize = (context: Record<string, unknown> = {}): Synthesized => {
  const key = JSON.stringify(context);
  const found = known.get(key) ?? synthesizeAnew(context);
  known.set(key, found);
  return found;
};
