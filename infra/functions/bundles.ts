import { cpSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Code } from "aws-cdk-lib/aws-lambda";
import { type BuildOptions, buildSync } from "esbuild";
import { consolePage } from "./console-page.ts";

/** Source directory of handlers and output directory of their bundles. */
export interface BundleDirectories {
  readonly functions: string;
  readonly output: string;
}

const repository = resolve(import.meta.dirname, "../..");

/** Returns the source directory of the service's handlers with an output directory. */
export const serviceHandlers = (output: string): BundleDirectories => ({
  functions: join(repository, "functions"),
  output,
});

/** Returns the service's handlers with a new temporary output directory, which is deleted at exit; two processes can synthesize at the same time. */
const temporaryDirectories = (): BundleDirectories => {
  const output = mkdtempSync(join(tmpdir(), "assay-bundles-"));
  process.once("exit", () => rmSync(output, { recursive: true, force: true }));
  return serviceHandlers(output);
};

/** Returns the bundle of a handler, named by its path below `functions/` without extension, plus `files` (text by file name) in the same directory. */
export type Bundles = (handler: string, files?: Readonly<Record<string, string>>) => Code;

/** Defines `require`, which ESM lacks and CommonJS packages inside a bundle call. */
const banner = "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);";

/** esbuild options that all builds of handlers share. */
export const commonBuildOptions = {
  outExtension: { ".js": ".mjs" },
  absWorkingDir: repository,
  bundle: true,
  minify: true,
  keepNames: false,
  format: "esm",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  conditions: ["module"],
  alias: { "@aws-sdk/credential-provider-node": "./infra/functions/lambda-credentials.ts" },
  banner: { js: banner },
  legalComments: "none",
  logLevel: "error",
} as const satisfies BuildOptions;

/** Lists the handlers by their paths below `functions/` without extension. */
const handlersIn = (functions: string): readonly string[] =>
  globSync("**/*.ts", { cwd: functions })
    .map((path) => path.replaceAll("\\", "/").replace(/\.ts$/u, ""))
    .toSorted();

const page = JSON.stringify(await consolePage());

/** Handlers that call judges. A module that they load by `import()`, such as a provider's package, is a file of its own. */
const judgingHandlers = new Set(["workers/judge-slice", "api/metrics/preview-custom-metric"]);

/**
 * Returns the esbuild calls that bundle all handlers: one for all but those that judge, because 70 calls take 22 s and one takes
 * 3 s, and one for each of those, whose files lie in its own directory.
 */
export const bundleBuilds = ({ functions, output }: BundleDirectories): readonly BuildOptions[] => {
  const bundle = (handlers: readonly string[], chunks: BuildOptions): BuildOptions => ({
    entryPoints: handlers.map((handler) => ({ in: join(functions, `${handler}.ts`), out: `${handler}/index` })),
    outdir: output,
    // Only the handler that serves the console contains this identifier.
    define: { CONSOLE_PAGE: page },
    ...commonBuildOptions,
    ...chunks,
  });
  const { judging = [], other = [] } = Object.groupBy(handlersIn(functions), (handler) =>
    judgingHandlers.has(handler) ? "judging" : "other",
  );
  return [
    bundle(other, { splitting: false }),
    ...judging.map((handler) => bundle([handler], { splitting: true, chunkNames: `${handler}/[hash]` })),
  ];
};

/**
 * Returns access to bundles that were built before.
 *
 * @returns function from a handler to its bundle, which throws an Error with the file name if the handler does not exist.
 */
export const existingBundles = ({ functions, output }: BundleDirectories): Bundles => {
  const handlers = new Set(handlersIn(functions));
  return (handler, files = {}) => {
    if (!handlers.has(handler)) throw new Error(`The handler ${join(functions, handler)}.ts does not exist.`);
    if (Object.keys(files).length === 0) return Code.fromAsset(join(output, handler));
    // Functions that share a handler can have different files.
    const copy = mkdtempSync(join(output, "with-files-"));
    cpSync(join(output, handler), copy, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);
    return Code.fromAsset(copy);
  };
};

/** Bundles all handlers. @returns access to the bundles, see `existingBundles`. */
export const bundleHandlers = (directories = temporaryDirectories()): Bundles => {
  for (const build of bundleBuilds(directories)) buildSync(build);
  return existingBundles(directories);
};
