import { globSync } from "node:fs";
import { join, resolve } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { buildConsole, type ConsoleFiles } from "./console-page.ts";
import { type Bundles, prebuiltBundles, temporaryDirectory } from "./prebuilt-bundles.ts";

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

const { page, assets } = await buildConsole();
const consoleFiles = { page, assets } satisfies ConsoleFiles;

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
    define: { CONSOLE_FILES: JSON.stringify(consoleFiles) },
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

/** Bundles all handlers. @returns access to the bundles, see `prebuiltBundles`. */
export const bundleHandlers = (directories = serviceHandlers(temporaryDirectory())): Bundles => {
  for (const build of bundleBuilds(directories)) buildSync(build);
  return prebuiltBundles(directories.output);
};
