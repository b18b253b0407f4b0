import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { App } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import { bundling, type Bundles } from "../../infra/functions/bundles.ts";
import { routes } from "../../lib/contract/routes.ts";
import { readSettings } from "../../infra/settings/settings.ts";
import { AssayStack } from "../../infra/stack.ts";

const handlers = resolve(import.meta.dirname, "../../functions");

/** What handlers share lies in files of their own: 110 bundles take 45 MB, these 2. */
const buildHandlers = (output: string): void => {
  const names = globSync("**/*.ts", { cwd: handlers }).map((path) => path.replaceAll("\\", "/").replace(/\.ts$/u, ""));
  buildSync({
    ...bundling,
    entryPoints: names.map((name) => ({ in: join(handlers, `${name}.ts`), out: name })),
    outdir: output,
    splitting: true,
    chunkNames: "shared/[hash]",
  });
};

/** A bundle that is the handler among those that lie together. */
const bundlesIn =
  (directory: string): Bundles =>
  (handler) => {
    const own = join(directory, handler.replaceAll("/", "."));
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "index.mjs"), `export * from "../functions/${handler}.mjs";\n`);
    return Code.fromAsset(own);
  };

/**
 * Synthesizes the stack as `npm start` does, into a directory that can be packed small.
 *
 * @param directory is emptied first.
 */
export const writeAssembly = (directory: string, context: Readonly<Record<string, unknown>>): void => {
  const bundles = `${directory}-bundles`;
  for (const each of [directory, bundles]) rmSync(each, { recursive: true, force: true });
  const app = new App({ context, outdir: directory, builtinCloudFormationValidation: false });
  const settings = readSettings(app.node, { runsHere: true });
  const { templateFile } = new AssayStack(app, `assay-${settings.stage}`, {
    settings,
    bundles: bundlesIn(bundles),
    routes,
  });
  app.synth();
  buildHandlers(join(directory, "functions"));
  rmSync(bundles, { recursive: true });
  const described = new Set([templateFile, templateFile.replace(".template.", ".assets.")]);
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    if (described.has(name)) writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8"))));
    else if (!/^(?:asset\.|functions$)/u.test(name)) rmSync(file, { recursive: true });
  }
};
