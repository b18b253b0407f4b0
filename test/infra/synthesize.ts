import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { App, type Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { bundle, type Bundles } from "../../infra/bundles.ts";
import { readSettings } from "../../infra/settings.ts";
import { AssayStack } from "../../infra/stack.ts";
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
export const fixtureBundles = (names: readonly string[] = handlers): Bundles => {
  const directory = temporaryDirectory();
  const functions = join(directory, "functions");
  for (const name of names) {
    const file = join(functions, `${name}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `export const handler = async () => ${JSON.stringify(name)};\n`);
  }
  return bundle({ functions, output: join(directory, "dist") });
};

/** The stack for some context and its template. */
export const synthesize = (context: Record<string, unknown> = {}): { stack: Stack; template: Template } => {
  const app = new App({ context, outdir: temporaryDirectory() });
  const settings = readSettings(app.node);
  const stack = new AssayStack(app, `assay-${settings.stage}`, { settings, bundles: fixtureBundles() });
  return { stack, template: Template.fromStack(stack) };
};
