import { globSync } from "node:fs";
import { join, resolve } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { pageFiles } from "../../lib/contract/openapi/page/page-files.ts";
import type { ConsoleFiles } from "./console-page.ts";

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
const commonBuildOptions = {
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
  alias: {
    "@aws-sdk/credential-provider-node": "./infra/functions/lambda-credentials.ts",
    "node:http": "./infra/functions/node-http.ts",
  },
  banner: { js: banner },
  legalComments: "none",
  logLevel: "error",
} as const satisfies BuildOptions;

/** Lists the handlers by their paths below `functions/` without extension. */
const handlersIn = (functions: string): readonly string[] =>
  globSync("**/*.ts", { cwd: functions })
    .map((path) => path.replaceAll("\\", "/").replace(/\.ts$/u, ""))
    .toSorted();

/** Handlers with modules that they rarely need and load by `import()`, such as a provider's package: each is a file of its own. */
const splitHandlers = new Set([
  "workers/judge-slice",
  "api/metrics/preview-custom-metric",
  "api/otlp/export-logs",
  "api/otlp/export-traces",
]);

/** @param consoleFiles files that the handler of the console serves; a build without them has no such handler */
const buildOf = (
  handlers: readonly string[],
  { functions, output }: BundleDirectories,
  consoleFiles: ConsoleFiles | undefined,
  chunks: BuildOptions = {},
): BuildOptions => ({
  entryPoints: handlers.map((handler) => ({ in: join(functions, `${handler}.ts`), out: `${handler}/index` })),
  outdir: output,
  // A handler that contains none of these identifiers has none of the texts.
  define: {
    PAGE_FILES: JSON.stringify(pageFiles),
    ...(consoleFiles !== undefined && {
      CONSOLE_FILES: JSON.stringify({ page: consoleFiles.page, assets: consoleFiles.assets }),
    }),
  },
  ...commonBuildOptions,
  ...chunks,
});

/**
 * Returns the esbuild calls that bundle all handlers for a deployment: one for all but those in `splitHandlers`, because 70 calls take 22 s
 * and one takes 3 s, and one for each of those, whose files lie in its own directory.
 */
export const bundleBuilds = (directories: BundleDirectories, consoleFiles?: ConsoleFiles): readonly BuildOptions[] => {
  const { split = [], other = [] } = Object.groupBy(handlersIn(directories.functions), (handler) =>
    splitHandlers.has(handler) ? "split" : "other",
  );
  return [
    buildOf(other, directories, consoleFiles),
    ...split.map((handler) =>
      buildOf([handler], directories, consoleFiles, { splitting: true, chunkNames: `${handler}/[hash]` }),
    ),
  ];
};

/**
 * Returns the esbuild call that builds all handlers with the code that they share in files of their own: a tenth of the time and of
 * the bytes of separate bundles. A handler does not run without the other files.
 */
export const sharedBuild = (directories: BundleDirectories, consoleFiles?: ConsoleFiles): BuildOptions =>
  buildOf(handlersIn(directories.functions), directories, consoleFiles, {
    splitting: true,
    chunkNames: "shared/[hash]",
  });

/** Bundles all handlers for a deployment. @returns the output directory */
export const bundleHandlers = (directories: BundleDirectories, consoleFiles?: ConsoleFiles): string => {
  for (const build of bundleBuilds(directories, consoleFiles)) buildSync(build);
  return directories.output;
};
