import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import { serviceHandlers, sharedBuild } from "../../infra/functions/bundles.ts";
import type { Bundles } from "../../infra/functions/prebuilt-bundles.ts";
import { routes } from "../../lib/contract/routes.ts";
import { readSettings } from "../../infra/settings/settings.ts";
import { ServiceStack } from "../../infra/stack.ts";
import { localBuild } from "../../infra/supply/build.ts";

/** Provides bundles that load their handlers from the files built together. */
const bundlesIn =
  (directory: string): Bundles =>
  (handler) => {
    const functionDirectory = join(directory, handler.replaceAll("/", "."));
    mkdirSync(functionDirectory, { recursive: true });
    writeFileSync(join(functionDirectory, "index.mjs"), `export * from "../functions/${handler}/index.mjs";\n`);
    return Code.fromAsset(functionDirectory);
  };

/**
 * Synthesizes the stack as `npm start` does, into a directory that compresses well.
 * @param directory target directory; emptied first.
 */
export const writeAssembly = (directory: string, context: Readonly<Record<string, unknown>>): void => {
  const bundles = `${directory}-bundles`;
  for (const each of [directory, bundles]) rmSync(each, { recursive: true, force: true });
  const app = new App({ context, outdir: directory, builtinCloudFormationValidation: false });
  const settings = readSettings(app.node.getAllContext(), { isLocal: true });
  const { templateFile } = new ServiceStack(app, `assay-${settings.stage}`, {
    settings,
    bundles: bundlesIn(bundles),
    build: localBuild,
    routes,
  });
  app.synth();
  // Code shared by handlers is in separate files: 110 separate bundles take 45 MB, these 2 MB.
  buildSync(sharedBuild(serviceHandlers(join(directory, "functions"))));
  rmSync(bundles, { recursive: true });
  const described = new Set([templateFile, templateFile.replace(".template.", ".assets.")]);
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    if (described.has(name)) writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    else if (!/^(?:asset\.|functions$)/u.test(name)) rmSync(file, { recursive: true });
  }
};
